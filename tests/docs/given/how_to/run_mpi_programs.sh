cp "$GIVEN/how_to/halo.c" program.c
