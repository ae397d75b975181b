mpicc_abi -O2 -o halo "$GIVEN/how_to/halo.c"
