"""Computes the correlators of pion and proton on one configuration."""

import onehop

job = onehop.join()
gauge = onehop.hot_gauge((4, 4, 4, 8), seed=1, context=job)
for sweep in range(5):
    gauge.heatbath(beta=6.0, seed=1, overrelaxation=4, sweep=sweep)

quark = onehop.solve(gauge, onehop.Wilson(mass=0.1), tol=1e-12)
pion = onehop.meson_correlators(gauge, quark).of("g5").real
proton = onehop.baryon_correlators(gauge, quark).of("proton").real

if job.rank == 0:
    for t in range(1, 4):
        print(f"{t}  {pion[t]:.8e}  {proton[t]:.8e}")
    print(f"pion   {onehop.effective_mass(pion)[3]:.6f}")
    print(f"proton {onehop.log_effective_mass(proton)[2]:.6f}")
