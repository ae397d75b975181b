cp "$GIVEN/how_to/halo.c" program.c
cp "$GIVEN/how_to/halo.f90" program.f90
