# `make demo` leaves this configuration; a smaller one is as good here.
mkdir -p build/demo
onehop generate --lattice 4 4 4 8 --beta 6.0 --sweeps 5 -o build/demo/b6.0_8x8x8x16.nersc
