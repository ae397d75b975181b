# Files of other programs and of solves.
onehop generate --lattice 4 4 4 8 --beta 6.0 --sweeps 5 -o made.nersc
onehop convert made.nersc b6.0.lat --format milc
onehop solve made.nersc --kappa 0.13 --out propagator.npy --json solved.json
