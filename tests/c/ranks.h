/* What programs in C need of a test: checks that say where they failed and end the rank. */
#ifndef ONEHOP_TESTS_C_RANKS_H
#define ONEHOP_TESTS_C_RANKS_H

#include <onehop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static onehop_context* job;
static int rank, ranks;

static inline void fail_at(const char* file, int line, const char* what) {
  char words[500];
  snprintf(words, sizeof words, "%s:%d: %s: %s", file, line, what, onehop_error_message());
  fprintf(stderr, "rank %d: %s\n", rank, words);
  if (job != NULL) onehop_abandon(job, words);
  exit(1);
}

#define EXPECT(condition)                                           \
  do {                                                              \
    if (!(condition)) fail_at(__FILE__, __LINE__, #condition);      \
  } while (0)
#define GOOD(call) EXPECT((call) == ONEHOP_OK)
/* The call fails with this code, and the message has these words in it. */
#define REFUSED(call, code, words)                                  \
  do {                                                              \
    EXPECT((call) == (code));                                       \
    EXPECT(strstr(onehop_error_message(), words) != NULL);          \
    EXPECT(strchr(onehop_error_message(), '\n') == NULL);           \
  } while (0)

static inline void join_job(void) {
  GOOD(onehop_join(NULL, &job));
  GOOD(onehop_rank(job, &rank));
  GOOD(onehop_size(job, &ranks));
}

#endif
