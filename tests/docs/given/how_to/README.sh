# The reader has configurations, and programs: in C++ that of the first page, in C one of the course.
onehop generate --lattice 4 4 4 16 --beta 6.0 --sweeps 2 -o b6.0.nersc
for n in 01 02 03 04 05 06 07 08 09 10; do
  cp b6.0.nersc b6.0.$n.nersc
done
sed -n '/^```cpp/,/^```/{/^```/d; p}' "$ROOT/README.md" > program.cpp
mkdir mine
cp "$ROOT/examples/07_from_c/07_from_c.c" mine/mine.c
printf '#!/bin/sh\nexec python %s/examples/01_hello_put/01_hello_put.py\n' "$ROOT" > program
chmod +x program
