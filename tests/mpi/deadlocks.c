/* Ranks that wait for each other for ever, or only for long, in the way that the first argument
   says. With a second argument they print when they begin. If the waits end, all ranks print what
   arrived. */
#include <pthread.h>
#include <time.h>

#include "say.h"

static MPI_Comm world = MPI_COMM_WORLD;

static int receive(int from, int tag) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, from, tag, world, MPI_STATUS_IGNORE);
  return value;
}
static void give(int value, int to, int tag) { MPI_Send(&value, 1, MPI_INT, to, tag, world); }

static void pause_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}
static void compute_for(double seconds) {
  for (double begin = MPI_Wtime(); MPI_Wtime() < begin + seconds;) continue;
}
static void look_for(double seconds) {
  int flag = 0;
  for (double begin = MPI_Wtime(); MPI_Wtime() < begin + seconds;)
    MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);
}
static void read_for(const char* seconds) {
  char command[64], word[16] = "";
  snprintf(command, sizeof command, "sleep %s; echo read", seconds);
  FILE* other = popen(command, "r");
  if (fscanf(other, "%15s", word) != 1 || strcmp(word, "read") != 0) exit(1);
  pclose(other);
}

static void* send_late(void* unused) {
  pause_for(1.5);
  give(7, 0, 9);
  return unused;
}
static void* receive_here(void* unused) {
  receive(MPI_ANY_SOURCE, 10);
  return unused;
}

/* A word is passed from rank to rank. Each keeps it, in one of several ways, for about the time
   between two questions. */
static int hand_on(void) {
  unsigned drawn = 12345;
  int word = 0;
  for (int turn = 0; turn < 10 * size; ++turn) {
    drawn = drawn * 1103515245u + 12345u;
    if (turn % size != rank) continue;
    if (turn > 0) word = receive(next(-1), 5);
    const double time = 0.02 * (double)(drawn >> 16 & 7);
    if (drawn >> 20 & 1) pause_for(time);
    else look_for(time);
    give(word + 1, next(1), 5);
  }
  return rank == 0 ? receive(next(-1), 5) : word;
}

/* Rank 1 waits when it is asked for its standing. Rank 2 waits only after each of the two has had a
   message from the other, when rank 1 sleeps instead of waiting for that message, which has
   arrived. So each rank says that it waits, and the counts of messages sent and received agree,
   though the ranks never waited together. */
static int take_turns(void) {
  int value = 0;
  for (int turn = 0; turn < 3; ++turn) {
    if (rank == 0) value += receive(1, 7);
    if (rank == 1) {
      value += receive(2, 5);
      give(1, 2, 6);
      pause_for(0.6);
      give(1, 0, 7);
      give(1, 2, 7);
    }
    if (rank == 2) {
      pause_for(0.4);
      give(1, 1, 5);
      pause_for(0.2);
      value += receive(1, 6) + receive(1, 7);
    }
  }
  return value;
}

int main(int argc, char** argv) {
  const char* how = argv[1];
  const int many = !strncmp(how, "thread", 6);
  int level = 0, value = 0, one = 1, sum = 0;
  MPI_Init_thread(&argc, &argv, many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  pthread_t thread;
  if (argc > 2) say_begun();
  if (!strcmp(how, "receives")) {
    receive(next(1), 3);
  } else if (!strcmp(how, "sends")) {
    MPI_Ssend(&rank, 1, MPI_INT, next(1), 4, world);
  } else if (!strcmp(how, "long sends")) {
    char* memory = calloc(1 << 20, 1);
    MPI_Send(memory, 1 << 20, MPI_CHAR, next(1), 4, world);
  } else if (!strcmp(how, "requests")) {
    MPI_Request both[2];
    MPI_Irecv(&value, 1, MPI_INT, next(1), 6, world, &both[0]);
    MPI_Irecv(&sum, 1, MPI_INT, next(1), 8, world, &both[1]);
    give(1, next(-1), 6);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  } else if (!strcmp(how, "finalize")) {
    if (rank > 0) receive(0, 2);
  } else if (!strcmp(how, "collective")) {
    if (rank > 0) receive(0, 2);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
  } else if (!strcmp(how, "later collective")) {
    MPI_Request later;
    if (rank > 0) MPI_Barrier(world);
    MPI_Ibarrier(world, &later);
    MPI_Wait(&later, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "communicator")) {
    MPI_Comm turned;
    MPI_Comm_split(world, 0, -rank, &turned);
    MPI_Comm_set_name(turned, "turned");
    MPI_Probe(rank == size - 1 ? 1 : 0, MPI_ANY_TAG, turned, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "window")) {
    int* memory;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
    if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Barrier(world);
    if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Barrier(world);
  } else if (!strcmp(how, "threads")) {
    pthread_create(&thread, NULL, receive_here, NULL);
    receive(next(1), 9);
  } else if (!strcmp(how, "thread sends")) {
    if (rank == 1) pthread_create(&thread, NULL, send_late, NULL);
    MPI_Barrier(world);
    if (rank == 0) value = receive(1, 9);
    MPI_Barrier(world);
    if (rank == 1) pthread_join(thread, NULL);
  } else {
    const int busy = size - 1;
    if (!strcmp(how, "sleeps") && rank == busy) pause_for(1.5);
    if (!strcmp(how, "computes") && rank == busy) compute_for(1.5);
    if (!strcmp(how, "looks") && rank == busy) look_for(1.5);
    if (!strcmp(how, "reads") && rank == busy) read_for("1.5");
    if (!strcmp(how, "hands on")) value = hand_on();
    if (!strcmp(how, "takes turns")) value = take_turns();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
  }
  say("%d %d", value, sum);
  end();
}
