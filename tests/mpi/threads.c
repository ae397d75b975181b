/* Several threads of each rank are in MPI at once, or in turns if there is an argument. The main
   thread prints what they found. */
#include <pthread.h>

#include "say.h"

enum { turns = 24, most_threads = 4, longest = 60000 };

/* A part is the work of one thread, the `number`-th of a phase. */
struct part {
  void (*run)(struct part*);
  int number;
  uint64_t found;
};

static MPI_Comm own[most_threads], shared;

static void* run_part(void* of) {
  struct part* one = of;
  one->run(one);
  return NULL;
}

/* Runs parts concurrently or one after another, and prints what each found. */
static void play(const char* phase, void (*const runs[])(struct part*), int in_turns) {
  struct part parts[most_threads];
  pthread_t threads[most_threads];
  int count = 0;
  for (; count < most_threads && runs[count] != NULL; ++count) {
    parts[count] = (struct part){runs[count], count, 0};
    if (pthread_create(&threads[count], NULL, run_part, &parts[count]) != 0) exit(1);
    if (in_turns) pthread_join(threads[count], NULL);
  }
  for (int i = 0; i < count; ++i) {
    if (!in_turns) pthread_join(threads[i], NULL);
    say("%s %d %llx", phase, i, (unsigned long long)parts[i].found);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static int length_of(int turn) { return turn % 8 == 7 ? longest : turn % 8 * 100; }

/* Sends to a rank and waits for its answer, or answers to a rank. */
static void ping(struct part* one, MPI_Comm comm, int to, int there, int back) {
  unsigned char* const data = malloc(longest);
  for (int turn = 0; turn < turns; ++turn) {
    const int bytes = length_of(turn);
    fill(data, (size_t)bytes, (unsigned)(turn + rank * 7 + there));
    MPI_Send(data, bytes, MPI_BYTE, to, there, comm);
    MPI_Recv(data, bytes, MPI_BYTE, to, back, comm, MPI_STATUS_IGNORE);
    one->found = one->found * 31 + digest(data, (size_t)bytes);
  }
  free(data);
}
static void pong(struct part* one, MPI_Comm comm, int from, int there, int back) {
  unsigned char* const data = malloc(longest);
  for (int turn = 0; turn < turns; ++turn) {
    const int bytes = length_of(turn);
    MPI_Recv(data, bytes, MPI_BYTE, from, there, comm, MPI_STATUS_IGNORE);
    one->found = one->found * 31 + digest(data, (size_t)bytes);
    for (int i = 0; i < bytes; ++i) data[i] ^= 0x5a;
    MPI_Send(data, bytes, MPI_BYTE, from, back, comm);
  }
  free(data);
}

/* All threads share a communicator, on which tags separate them. These two are on one rank. */
static void ping_here(struct part* one) { ping(one, shared, rank, 1, 2); }
static void pong_here(struct part* one) { pong(one, shared, rank, 1, 2); }
static void ping_there(struct part* one) { ping(one, shared, next(1), 3, 4); }
static void pong_there(struct part* one) { pong(one, shared, next(-1), 3, 4); }

static void ping_apart(struct part* one) {
  const int pair = one->number / 2;
  ping(one, own[pair], next(1), 0, 1);
}
static void pong_apart(struct part* one) {
  const int pair = one->number / 2;
  pong(one, own[pair], next(-1), 0, 1);
}

/* Two threads of a rank receive messages from any rank, each message once. */
static void send_many(struct part* one) {
  for (int turn = 0; turn < turns; ++turn) {
    const int value = turn * 1000 + rank * 10 + one->number;
    MPI_Send(&value, 1, MPI_INT, next(turn), 5, shared);
  }
}
static void take_many(struct part* one) {
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Message message;
    MPI_Status status;
    int value;
    if (turn % 2 == 0) {
      MPI_Mprobe(MPI_ANY_SOURCE, 5, shared, &message, &status);
    } else {
      int here = 0;
      while (!here) MPI_Improbe(MPI_ANY_SOURCE, 5, shared, &here, &message, &status);
    }
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    one->found += (uint64_t)value;
  }
}
/* Both threads take any message, so only the sum of what they found is always the same. */
static uint64_t taken[2];
static void take_first(struct part* one) {
  take_many(one);
  taken[0] = one->found;
  one->found = 0;
}
static void take_second(struct part* one) {
  take_many(one);
  taken[1] = one->found;
  one->found = 0;
}

/* The operation takes so long that other threads would enter MPI in the middle of a call if there
   were no lock. */
static void add_up(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  usleep(200);
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i] * (bytes == sizeof(int));
}
static void reduce_all(struct part* one) {
  const MPI_Comm comm = own[one->number];
  MPI_Op op;
  MPI_Op_create(add_up, 1, &op);
  for (int turn = 0; turn < turns; ++turn) {
    int mine[300], all[300];
    for (int i = 0; i < 300; ++i) mine[i] = rank * 300 + i + turn;
    MPI_Allreduce(mine, all, 300, MPI_INT, op, comm);
    MPI_Bcast(all, 300, MPI_INT, turn % size, comm);
    one->found = one->found * 31 + digest(all, sizeof all);
  }
  MPI_Op_free(&op);
}
static void exchange_all(struct part* one) {
  const MPI_Comm comm = own[one->number];
  int* const out = malloc(sizeof(int) * 2 * (size_t)size);
  int* const in = out + size;
  for (int turn = 0; turn < turns; ++turn) {
    for (int i = 0; i < size; ++i) out[i] = rank * 100 + i + turn;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Barrier(comm);
    one->found = one->found * 31 + digest(in, sizeof(int) * (size_t)size);
  }
  free(out);
}
static void reduce_later(struct part* one) {
  const MPI_Comm comm = own[one->number];
  MPI_Op op;
  MPI_Op_create(add_up, 1, &op);
  for (int turn = 0; turn < turns; ++turn) {
    int mine = rank + turn, sum, done = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, comm, &request);
    if (turn % 2 == 0)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    one->found = one->found * 31 + (uint64_t)sum;
  }
  MPI_Op_free(&op);
}
static void make_communicators(struct part* one) {
  const MPI_Comm comm = own[one->number];
  for (int turn = 0; turn < turns / 4; ++turn) {
    MPI_Comm made;
    int sum = 0, place;
    MPI_Comm_split(comm, rank % 2, -rank, &made);
    MPI_Comm_rank(made, &place);
    MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, made);
    one->found = one->found * 31 + (uint64_t)(sum * 10 + place);
    MPI_Comm_free(&made);
  }
}

/* One thread accesses memory of another rank, whose own threads meanwhile wait for messages. */
static void access_memory(struct part* one) {
  const MPI_Comm comm = own[one->number];
  int mine[1000], theirs[1000], old;
  MPI_Win win;
  memset(mine, 0, sizeof mine);
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, comm, &win);
  for (int turn = 0; turn < turns; ++turn) {
    const int step = turn + 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(1), 0, win);
    MPI_Fetch_and_op(&step, &old, MPI_INT, next(1), 0, MPI_SUM, win);
    MPI_Win_flush(next(1), win);
    for (int i = 1; i < 1000; ++i) theirs[i] = old + i;
    MPI_Put(theirs + 1, 999, MPI_INT, next(1), 1, 999, MPI_INT, win);
    MPI_Win_unlock(next(1), win);
    MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win);
    MPI_Get(theirs, 1000, MPI_INT, next(1), 0, 1000, MPI_INT, win);
    MPI_Win_unlock(next(1), win);
    one->found = one->found * 31 + digest(theirs, sizeof theirs);
  }
  MPI_Send(&old, 1, MPI_INT, next(1), 6, shared);
  MPI_Barrier(comm);
  MPI_Win_free(&win);
}
static void receive_at_last(struct part* one) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, next(-1), 6, shared, MPI_STATUS_IGNORE);
  one->found = (uint64_t)value;
}

/* Functions of the program that MPI calls may call MPI themselves. */
static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  int here = rank, there = -1;
  (void)key;
  MPI_Sendrecv(&here, 1, MPI_INT, rank, 7, &there, 1, MPI_INT, rank, 7, (MPI_Comm)extra,
               MPI_STATUS_IGNORE);
  MPI_Comm_size(comm, &here);
  *(void**)out = (char*)in + there - rank + here;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  int length;
  char name[MPI_MAX_OBJECT_NAME];
  (void)key, (void)value, (void)extra;
  return MPI_Comm_get_name(comm, name, &length);
}
static void keep_attributes(struct part* one) {
  const MPI_Comm comm = own[one->number];
  int key, flag;
  for (int turn = 0; turn < turns / 4; ++turn) {
    MPI_Comm made;
    char *value = NULL, *base = (char*)&key;
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, (void*)own[one->number]);
    MPI_Comm_set_attr(comm, key, base);
    MPI_Comm_dup(comm, &made);
    MPI_Comm_get_attr(made, key, &value, &flag);
    one->found = one->found * 31 + (uint64_t)(value - base) + (uint64_t)flag;
    MPI_Comm_free(&made);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
  }
}
static int mistakes;
static void look_at_error(MPI_Comm* comm, int* code, ...) {
  int error_class, members;
  MPI_Error_class(*code, &error_class);
  MPI_Comm_size(*comm, &members);
  mistakes += error_class == MPI_ERR_TAG && members == size;
}
static void make_mistakes(struct part* one) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(look_at_error, &handler);
  MPI_Comm_set_errhandler(own[one->number], handler);
  for (int turn = 0; turn < turns; ++turn) MPI_Comm_call_errhandler(own[one->number], MPI_ERR_TAG);
  one->found = (uint64_t)mistakes;
  MPI_Errhandler_free(&handler);
}

/* One thread waits for a request that another thread completes. */
static int say_nothing(void* extra, MPI_Status* status) {
  (void)extra;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int free_nothing(void* extra) { return extra == NULL ? MPI_SUCCESS : MPI_ERR_OTHER; }
static int cancel_nothing(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}
static MPI_Request handed_over[turns];
static void wait_for_other(struct part* one) {
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Status status;
    int count;
    MPI_Grequest_start(say_nothing, free_nothing, cancel_nothing, NULL, &handed_over[turn]);
    MPI_Request waited = handed_over[turn];
    MPI_Send(&turn, 1, MPI_INT, rank, 8, shared);
    MPI_Wait(&waited, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    one->found += (uint64_t)count;
  }
}
static void complete_for_other(struct part* one) {
  for (int turn = 0; turn < turns; ++turn) {
    int which;
    MPI_Recv(&which, 1, MPI_INT, rank, 8, shared, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(handed_over[which]);
    one->found += (uint64_t)which;
  }
}

static void ask_about_threads(struct part* one) {
  int begun, ended, level, is_main, version, subversion;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&is_main);
  MPI_Get_version(&version, &subversion);
  one->found =
      (uint64_t)(begun * 1000 + ended * 100 + (level >= MPI_THREAD_SERIALIZED) * 10 + is_main) *
      (MPI_Wtime() >= 0);
}

typedef void (*const runs_of_phase[most_threads])(struct part*);
static const runs_of_phase questions = {ask_about_threads, ask_about_threads};
static const runs_of_phase by_tags = {ping_here, pong_here, ping_there, pong_there};
static const runs_of_phase apart = {ping_apart, pong_apart, ping_apart, pong_apart};
static const runs_of_phase from_any = {send_many, take_first, send_many, take_second};
static const runs_of_phase collectives = {reduce_all, exchange_all, reduce_later,
                                          make_communicators};
static const runs_of_phase memory = {access_memory, receive_at_last, ping_there, pong_there};
static const runs_of_phase functions = {keep_attributes, make_mistakes, wait_for_other,
                                        complete_for_other};
static const runs_of_phase alone = {access_memory, receive_at_last, keep_attributes, make_mistakes};

static void go_at_once(void) {
  play("questions", questions, 0);
  play("by tags", by_tags, 0);
  play("apart", apart, 0);
  play("from any", from_any, 0);
  say("taken %llx", (unsigned long long)(taken[0] + taken[1]));
  play("collectives", collectives, 0);
  play("memory", memory, 0);
  play("functions", functions, 0);
}
static void take_turns(void) {
  play("questions", questions, 1);
  play("collectives", collectives, 1);
  play("alone", alone, 1);
}

int main(int argc, char** argv) {
  const int in_turns = argc > 1;
  const int wanted = in_turns ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
  int level, is_main;
  MPI_Init_thread(&argc, &argv, wanted, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Is_thread_main(&is_main);
  say("level %d, as wanted %d, main %d", level >= MPI_THREAD_SERIALIZED, level == wanted, is_main);
  if (level == wanted) {
    MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    for (int i = 0; i < most_threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    if (in_turns)
      take_turns();
    else
      go_at_once();
    MPI_Comm_free(&shared);
    for (int i = 0; i < most_threads; ++i) MPI_Comm_free(&own[i]);
  }
  end();
}
