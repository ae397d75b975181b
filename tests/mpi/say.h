/* What the programs of this folder print: lines that begin with the rank, whole and in order. */
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static char said[1 << 16];
static size_t said_bytes;

/* Lines of different ranks are not mixed, since a pipe takes them whole. */
static void write_said(void) {
  for (size_t done = 0; done < said_bytes;) {
    size_t line = (size_t)((char*)memchr(said + done, '\n', said_bytes - done) + 1 - said) - done;
    if (write(1, said + done, line) != (ssize_t)line) exit(1);
    done += line;
  }
  said_bytes = 0;
}

static void say(const char* form, ...) {
  va_list values;
  if (said_bytes > sizeof said / 2) write_said();
  va_start(values, form);
  said_bytes += (size_t)snprintf(said + said_bytes, sizeof said - said_bytes, "%d ", rank);
  said_bytes += (size_t)vsnprintf(said + said_bytes, sizeof said - said_bytes, form, values);
  va_end(values);
  said[said_bytes++] = '\n';
}

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void end(void) {
  MPI_Finalize();
  write_said();
}

/* Says at once that all ranks have begun, so that whoever reads it can take the time from there. */
static void say_begun(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && write(1, "begun\n", 6) != 6) exit(1);
}

/* A digest of bytes that says whether any of them differs. */
static uint64_t digest(const void* data, size_t bytes) {
  const unsigned char* at = data;
  uint64_t sum = 1469598103934665603u;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ at[i]) * 1099511628211u;
  return sum;
}

static void fill(void* data, size_t bytes, unsigned seed) {
  unsigned char* at = data;
  for (size_t i = 0; i < bytes; ++i) at[i] = (unsigned char)((i * 31 + seed * 17) >> 2);
}

static int next(int by) { return ((rank + by) % size + size) % size; }
