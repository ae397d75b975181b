/* Numbers that every rank draws alike. */
#include <stdint.h>

static uint64_t state;

static unsigned draw(unsigned below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 20) % below);
}
/* The first numbers after a seed still look like it. */
static void draw_from(uint64_t seed) {
  state = seed * 1000003 + 1;
  for (int i = 0; i < 10; ++i) draw(2);
}
