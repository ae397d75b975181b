cp "$ROOT/tests/qmp/halo.c" program.c
cp "$ROOT/tests/qmp/check.h" .
