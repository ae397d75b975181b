/* Random messages among all ranks. Sizes, tags, wildcards, types and communicators are drawn from a
   seed that every rank knows. The output does not depend on the order in which messages arrive. */
#include "draw.h"
#include "say.h"

enum { communicators = 3, kinds = 4, most_messages = 64 };

struct message {
  int from, to, tag, comm, kind, count, any_source, blocking;
};

static MPI_Comm comms[communicators];
static MPI_Datatype types[kinds];
static MPI_Aint extents[kinds];

static void make(void) {
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
  types[0] = MPI_BYTE;
  types[1] = MPI_DOUBLE;
  MPI_Type_vector(3, 2, 5, MPI_INT, &types[2]);
  MPI_Type_create_subarray(2, (int[]){6, 5}, (int[]){3, 2}, (int[]){2, 1}, MPI_ORDER_C, MPI_FLOAT,
                           &types[3]);
  for (int i = 0; i < kinds; ++i) {
    MPI_Aint lower;
    if (i > 1) MPI_Type_commit(&types[i]);
    MPI_Type_get_extent(types[i], &lower, &extents[i]);
  }
}

/* In comms[2] the ranks are numbered backwards. */
static int number_in(int comm, int of) { return comm == 2 ? size - 1 - of : of; }

static size_t room(const struct message* one) {
  return (size_t)extents[one->kind] * (size_t)one->count + 64;
}

/* Each message of a round has its own tag, so that only one message matches each receive, even a
   receive from any source. */
static int draw_messages(struct message* all) {
  const int count = 1 + (int)draw(most_messages);
  for (int i = 0; i < count; ++i) {
    const unsigned shape = draw(8);
    const int from = (int)draw((unsigned)size), to = (int)draw((unsigned)size);
    const int comm = (int)draw(communicators), kind = (int)draw(kinds);
    const int many = shape == 0 ? 60000 : shape < 3 ? 3000 : 30;
    all[i] = (struct message){from, to, i, comm, kind, (int)draw((unsigned)many),
                              draw(3) == 0, draw(4) == 0 && from != to};
  }
  return count;
}

static uint64_t play(struct message* all, int count, unsigned seed) {
  MPI_Request requests[2 * most_messages];
  MPI_Status statuses[2 * most_messages];
  char* buffers[2 * most_messages];
  int of[2 * most_messages], pending = 0;
  uint64_t found = 0;
  for (int i = 0; i < count; ++i) {
    const struct message* one = &all[i];
    if (one->to != rank) continue;
    buffers[pending] = calloc(room(one), 1);
    of[pending] = i;
    MPI_Irecv(buffers[pending], one->count, types[one->kind],
              one->any_source ? MPI_ANY_SOURCE : number_in(one->comm, one->from), one->tag,
              comms[one->comm], &requests[pending]);
    ++pending;
  }
  const int receives = pending;
  for (int i = 0; i < count; ++i) {
    const struct message* one = &all[i];
    if (one->from != rank) continue;
    char* out = malloc(room(one));
    fill(out, room(one), seed + (unsigned)i);
    if (one->blocking) {
      MPI_Send(out, one->count, types[one->kind], number_in(one->comm, one->to), one->tag,
               comms[one->comm]);
      free(out);
      continue;
    }
    buffers[pending] = out;
    MPI_Isend(out, one->count, types[one->kind], number_in(one->comm, one->to), one->tag,
              comms[one->comm], &requests[pending]);
    ++pending;
  }
  MPI_Waitall(pending, requests, statuses);
  for (int i = 0; i < receives; ++i) {
    const struct message* one = &all[of[i]];
    int elements;
    MPI_Get_count(&statuses[i], types[one->kind], &elements);
    found = found * 31 + digest(buffers[i], room(one)) + (uint64_t)elements;
    found = found * 31 + (uint64_t)(statuses[i].MPI_SOURCE * 1000 + statuses[i].MPI_TAG);
  }
  for (int i = 0; i < pending; ++i) free(buffers[i]);
  return found;
}

static void play_round(unsigned round, unsigned fill_seed) {
  struct message all[most_messages];
  const int count = draw_messages(all);
  const uint64_t mine = play(all, count, fill_seed);
  uint64_t sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_BXOR, comms[round % communicators]);
  say("round %u: %d messages %llx of all %llx", round, count, (unsigned long long)mine,
      (unsigned long long)sum);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make();
  play_rounds(argv, play_round);
  end();
}
