"""Computes a point-to-all quark propagator and its pion correlator."""

import onehop

job = onehop.join()
gauge = onehop.hot_gauge((4, 4, 4, 8), seed=1, context=job)
for sweep in range(5):
    gauge.heatbath(beta=6.0, seed=1, overrelaxation=4, sweep=sweep)

quark = onehop.solve(gauge, onehop.Wilson(mass=0.1), tol=1e-12)

if job.rank == 0 and quark.correlator is not None:  # a random source has none
    for value in quark.correlator:
        print(f"{value:.8e}")
    print("converged:", "yes" if quark.converged else "no")
