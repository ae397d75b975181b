onehop generate --lattice 4 4 4 8 --beta 6.0 --sweeps 5 -o b6.0.nersc
