/* Windows and put chains from C: what arrives, and what is refused. */

#include "ranks.h"

enum { rows = 5, columns = 7 };

/* A column to the rank above, a packed put to the one below, and a list of another length in each
   exchange to the one above. */
typedef struct {
  double field[rows][columns];
  int list[100];
  onehop_window* window;
  onehop_chain* chain;
  int above, below;
  int column, packed, varying;
  int from_below, from_above, list_from_below;
} exchange;

static const size_t column_bytes = rows * sizeof(double);

static void describe(exchange* e) {
  GOOD(onehop_chain_push_strided(e->chain, &e->field[0][2], rows, sizeof(double),
                                 columns * sizeof(double), e->above, 0, &e->column));
  GOOD(onehop_chain_push_packed(e->chain, 16, e->below, 64, &e->packed));
  GOOD(onehop_chain_push_up_to(e->chain, e->list, sizeof e->list, e->above, 128, &e->varying));
  GOOD(onehop_chain_add_origin(e->chain, e->below, &e->from_below));
  GOOD(onehop_chain_add_origin(e->chain, e->above, &e->from_above));
  GOOD(onehop_chain_add_origin(e->chain, e->below, &e->list_from_below));
  GOOD(onehop_chain_take_turns(e->chain));
  GOOD(onehop_chain_commit(e->chain));
}

static void start(exchange* e, int turn) {
  for (int row = 0; row < rows; ++row) e->field[row][2] = 100 * rank + 10 * turn + row;
  for (int i = 0; i < 100; ++i) e->list[i] = rank + i + turn;
  void* view = NULL;
  size_t bytes = 0;
  GOOD(onehop_chain_target_view(e->chain, e->packed, &view, &bytes));
  EXPECT(bytes == 16);
  memset(view, rank + turn, bytes);
  GOOD(onehop_chain_set_bytes(e->chain, e->varying, (size_t)turn * sizeof(int)));
  int can = 0;
  do GOOD(onehop_chain_can_start(e->chain, &can));
  while (!can);
  if (turn % 2 == 0) {
    GOOD(onehop_chain_start(e->chain));
    return;
  }
  GOOD(onehop_chain_start_partial(e->chain));
  const int slots[] = {e->varying, e->packed, e->column};
  for (int i = 0; i < 3; ++i) GOOD(onehop_chain_ready(e->chain, slots[i]));
}

static void check_arrivals(exchange* e, int turn) {
  const void* memory = NULL;
  size_t bytes = 0;
  GOOD(onehop_chain_arrived(e->chain, e->from_below, &memory, &bytes));
  EXPECT(bytes == column_bytes);
  for (int row = 0; row < rows; ++row)
    EXPECT(((const double*)memory)[row] == 100 * e->below + 10 * turn + row);
  GOOD(onehop_chain_arrived(e->chain, e->from_above, &memory, NULL));
  for (int i = 0; i < 16; ++i) EXPECT(((const char*)memory)[i] == e->above + turn);
  GOOD(onehop_chain_arrived(e->chain, e->list_from_below, &memory, &bytes));
  EXPECT(bytes == (size_t)turn * sizeof(int));
  for (int i = 0; i < turn; ++i) EXPECT(((const int*)memory)[i] == e->below + i + turn);
}

static void wait_in_some_way(exchange* e, int turn) {
  const int arrivals[] = {e->from_above, e->from_below};
  size_t which = 9;
  int over = 0;
  if (turn % 3 == 0) {
    GOOD(onehop_chain_wait_any(e->chain, arrivals, 2, &which));
    EXPECT(which < 2);
    GOOD(onehop_chain_test_for(e->chain, arrivals[which], &over));
    EXPECT(over == 1);
  }
  if (turn % 3 == 1) GOOD(onehop_chain_wait_for(e->chain, e->from_below));
  if (turn % 3 == 2) {
    while (!over) GOOD(onehop_chain_test(e->chain, &over));
    GOOD(onehop_chain_source_free(e->chain, e->column, &over));
    EXPECT(over == 1);
    return;
  }
  GOOD(onehop_chain_wait(e->chain));
}

static void play_exchanges(exchange* e) {
  for (int turn = 0; turn < 9; ++turn) {
    start(e, turn);
    wait_in_some_way(e, turn);
    check_arrivals(e, turn);
  }
}

static void refuse_misuse(exchange* e) {
  int number = 0;
  REFUSED(onehop_chain_wait(e->chain), ONEHOP_USAGE_ERROR, "start the next one first");
  REFUSED(onehop_chain_wait_for(e->chain, 3), ONEHOP_USAGE_ERROR,
          "onehop_chain_wait_for of arrival 3 of a chain with 3");
  REFUSED(onehop_chain_set_bytes(e->chain, -1, 8), ONEHOP_USAGE_ERROR, "of put -1 of a chain");
  REFUSED(onehop_chain_push(e->chain, e->list, 8, 0, 0, NULL), ONEHOP_USAGE_ERROR,
          "clear it first");
  REFUSED(onehop_chain_arrived(e->chain, 0, NULL, NULL), ONEHOP_USAGE_ERROR,
          "onehop_chain_arrived: memory is NULL");
  REFUSED(onehop_chain_start(NULL), ONEHOP_USAGE_ERROR, "onehop_chain_start: the chain is NULL");
  REFUSED(onehop_chain_test(NULL, &number), ONEHOP_USAGE_ERROR, "the chain is NULL");
  /* What is refused has done nothing. */
  GOOD(onehop_chain_start(e->chain));
  REFUSED(onehop_chain_test(e->chain, NULL), ONEHOP_USAGE_ERROR, "over is NULL");
  GOOD(onehop_barrier(job));
  REFUSED(onehop_chain_test(e->chain, NULL), ONEHOP_USAGE_ERROR, "over is NULL");
  GOOD(onehop_chain_wait(e->chain));
  const char* words = NULL;
  GOOD(onehop_chain_describe(e->chain, &words));
  EXPECT(strstr(words, "put 0: 40 bytes to rank ") != NULL);
}

/* The ranks disagree: everyone is told both sides. */
static void refuse_chain_without_origins(exchange* e) {
  GOOD(onehop_chain_clear(e->chain));
  REFUSED(onehop_chain_push(e->chain, NULL, 8, e->above, 0, NULL), ONEHOP_USAGE_ERROR,
          "onehop_chain_push: the source is NULL");
  GOOD(onehop_chain_push(e->chain, e->list, 8, e->above, 0, NULL));
  REFUSED(onehop_chain_commit(e->chain), ONEHOP_CHAIN_ERROR, "add_origin(");
  GOOD(onehop_chain_clear(e->chain));
  describe(e);
  play_exchanges(e);
}

/* A row of each rank arrives as a column at the next one, and again one column further. */
static void put_columns(void) {
  enum { rows = 4, columns = 3 };
  double row[rows], *table = NULL;
  onehop_window* window = NULL;
  onehop_chain* chain = NULL;
  int arrivals[2], first = -1;
  const int below = (rank + ranks - 1) % ranks, above = (rank + 1) % ranks;
  GOOD(onehop_window_make(job, rows * columns * sizeof(double), 1, &window));
  GOOD(onehop_window_local(window, 0, (void**)&table));
  for (int i = 0; i < rows * columns; ++i) table[i] = -1;
  GOOD(onehop_barrier(job));
  GOOD(onehop_chain_make(job, window, &chain));
  for (size_t column = 0; column < 2; ++column) {
    GOOD(onehop_chain_push_apart(chain, row, 1, sizeof row, 0, above, column * sizeof(double), rows,
                                 sizeof(double), columns * sizeof(double), NULL));
    GOOD(onehop_chain_add_origin(chain, below, &arrivals[column]));
  }
  REFUSED(onehop_chain_push_apart(chain, row, 1, sizeof row, 0, above, 0, rows + 1, sizeof(double),
                                  columns * sizeof(double), NULL),
          ONEHOP_USAGE_ERROR, "bytes");
  GOOD(onehop_chain_commit(chain));
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < rows; ++i) row[i] = 100 * rank + 10 * turn + i;
    GOOD(onehop_chain_start(chain));
    int awaited[2] = {arrivals[0], arrivals[1]};
    size_t seen = 0;
    for (size_t visible = 0; seen < 2; seen += visible) {
      GOOD(onehop_chain_wait_some(chain, awaited + seen, 2 - seen, &visible));
      EXPECT(visible >= 1 && visible <= 2 - seen);
      for (size_t k = seen; k < seen + visible; ++k) {
        GOOD(onehop_chain_test_for(chain, awaited[k], &first));
        EXPECT(first == 1);
      }
    }
    EXPECT(awaited[0] + awaited[1] == arrivals[0] + arrivals[1]);
    REFUSED(onehop_chain_wait_some(chain, awaited, 0, &seen), ONEHOP_USAGE_ERROR, "arrival");
    GOOD(onehop_chain_wait(chain));
    for (int i = 0; i < rows; ++i) {
      EXPECT(table[columns * i] == 100 * below + 10 * turn + i);
      EXPECT(table[columns * i + 1] == table[columns * i] && table[columns * i + 2] == -1);
    }
  }
  GOOD(onehop_chain_free(chain));
  GOOD(onehop_window_free(window));
}

static void use_windows(void) {
  onehop_window *own = NULL, *over = NULL;
  static char memory[300];
  size_t bytes = 0;
  void* local = NULL;
  GOOD(onehop_window_make(job, 100 + (size_t)rank, 1, &own));
  GOOD(onehop_window_make_over(job, memory, sizeof memory, &over));
  GOOD(onehop_window_bytes(own, ranks - 1, &bytes));
  EXPECT(bytes == 99 + (size_t)ranks);
  GOOD(onehop_window_local(over, 0, &local));
  EXPECT(local == memory);
  REFUSED(onehop_window_local(own, 1, &local), ONEHOP_USAGE_ERROR, "no bank 1");
  REFUSED(onehop_window_bytes(own, ranks, &bytes), ONEHOP_USAGE_ERROR, "window has no rank");
  REFUSED(onehop_window_make(job, 8, 3, &own), ONEHOP_USAGE_ERROR, "window of 3 banks");
  REFUSED(onehop_window_make(job, (size_t)1 << 60, 1, &own), ONEHOP_RESOURCE_ERROR, "bytes");
  GOOD(onehop_window_free(own));
  GOOD(onehop_window_free(over));
  GOOD(onehop_window_free(NULL));
}

int main(void) {
  static exchange e;
  EXPECT(onehop_error_message()[0] == '\0');
  join_job();
  use_windows();
  put_columns();
  e.above = (rank + 1) % ranks;
  e.below = (rank + ranks - 1) % ranks;
  GOOD(onehop_window_make(job, 1000, 2, &e.window));
  GOOD(onehop_chain_make(job, e.window, &e.chain));
  /* The chain keeps its window. */
  GOOD(onehop_window_free(e.window));
  describe(&e);
  play_exchanges(&e);
  refuse_misuse(&e);
  refuse_chain_without_origins(&e);
  GOOD(onehop_chain_free(e.chain));
  GOOD(onehop_context_free(job));
  return 0;
}
