# Programs of the course stand for the reader's.
cp "$ROOT/examples/02_halo_exchange/02_halo_exchange.py" halo.py
for name in 02_halo_exchange stencil; do
  printf '#!/bin/sh\nexec python %s/halo.py\n' "$PWD" > $name
  chmod +x $name
done
