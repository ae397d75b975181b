"""Makes a gauge configuration on several ranks by a few sweeps, writes it, reads it and measures
it."""

import sys

import onehop

file = sys.argv[1] if len(sys.argv) > 1 else "plaquette_python.nersc"
job = onehop.join()

gauge = onehop.hot_gauge((4, 4, 4, 8), seed=1, context=job)
for sweep in range(10):
    gauge.heatbath(beta=6.0, seed=1, overrelaxation=4, sweep=sweep)
gauge.write(file, "nersc")

again = onehop.read_gauge(file, context=job)
plaquette = again.plaquette
if job.rank == 0:
    print("lattice", "x".join(map(str, again.lattice)))
    print(f"plaquette {plaquette:.12f}")
