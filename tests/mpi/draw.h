/* Random numbers that are the same on every rank. */
#include <stdint.h>
#include <stdlib.h>

static uint64_t state;

static unsigned draw(unsigned below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 20) % below);
}
/* The first numbers after a seed are still correlated with it. */
static void draw_from(uint64_t seed) {
  state = seed * 1000003 + 1;
  for (int i = 0; i < 10; ++i) draw(2);
}

/* Plays as many rounds as the second argument says. Each has its own seed, derived from the first
   argument. */
static void play_rounds(char** arguments, void (*play_round)(unsigned round, unsigned fill_seed)) {
  const unsigned seed = (unsigned)strtoul(arguments[1], NULL, 10),
                 rounds = (unsigned)strtoul(arguments[2], NULL, 10);
  for (unsigned round = 0; round < rounds; ++round) {
    draw_from((uint64_t)seed * 100000 + round);
    play_round(round, seed + round);
  }
}
