/* Files: views of derived types, individual and shared positions, sizes, and invalid calls. */
#include "say.h"

enum { count = 600 };

static const char* path;
static int from[count], into[count];

static void reset(void) {
  for (int i = 0; i < count; ++i) from[i] = 1000 * rank + i, into[i] = -1;
}
static int elements(const MPI_Status* status) {
  int n;
  MPI_Get_count(status, MPI_INT, &n);
  return n;
}
static MPI_File opened(int mode) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file);
  return file;
}

/* Each rank has one column of a matrix of size x size blocks. */
static void columns(void) {
  MPI_File file = opened(MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype column;
  MPI_Status status;
  MPI_Offset place, position, bytes, displacement;
  int whole[2] = {6, 4 * size}, part[2] = {6, 4}, begin_at[2] = {0, 4 * rank};
  MPI_Type_create_subarray(2, whole, part, begin_at, MPI_ORDER_C, MPI_INT, &column);
  MPI_Type_commit(&column);
  reset();
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 16, MPI_INT, column, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, from, 60, MPI_INT, &status);
  say("wrote %d", elements(&status));
  MPI_File_get_position(file, &position);
  MPI_File_get_byte_offset(file, position, &place);
  say("position %ld place %ld", (long)position, (long)place);
  MPI_File_read_at_all(file, 7, into, 21, MPI_INT, &status);
  say("read %d %llx", elements(&status), (unsigned long long)digest(into, sizeof into));
  MPI_File_seek(file, -5, MPI_SEEK_CUR);
  MPI_File_read(file, into, 3, MPI_INT, &status);
  MPI_File_get_position(file, &position);
  say("then %d %d at %ld", into[0], into[2], (long)position);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Datatype etype, filetype;
  char as[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(file, &displacement, &etype, &filetype, as);
  say("view %ld %d %s", (long)displacement, etype == MPI_INT, as);
  MPI_Type_free(&filetype);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_get_size(file, &bytes);
  reset();
  MPI_File_read_at(file, 4, into, count, MPI_INT, &status);
  say("all %ld %d %llx", (long)bytes, elements(&status),
      (unsigned long long)digest(into, sizeof into));
  MPI_Type_free(&column);
  MPI_File_close(&file);
}

/* Memory with gaps, requests, and split collectives. */
static void ways(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Datatype gaps;
  MPI_Request one;
  MPI_Status status;
  MPI_Type_vector(50, 1, 3, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  reset();
  MPI_File_set_view(file, 400 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_iwrite_at(file, 2, from, 1, gaps, &one);
  MPI_Wait(&one, &status);
  say("gaps %d", elements(&status));
  MPI_File_iread_at(file, 2, into, 50, MPI_INT, &one);
  MPI_Wait(&one, &status);
  say("back %d %d %d", elements(&status), into[1], into[49]);
  MPI_File_write_all_begin(file, from, 40, MPI_INT);
  MPI_File_write_all_end(file, from, &status);
  say("in two calls %d", elements(&status));
  MPI_File_read_at_all_begin(file, 0, into, 1, gaps);
  MPI_File_read_at_all_end(file, into, &status);
  say("and back %d %d", elements(&status), into[30]);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_write_c(file, from, 3, MPI_INT, &status);
  MPI_Offset position;
  MPI_File_get_position(file, &position);
  say("with large counts %d %ld", elements(&status), (long)position);
  MPI_Type_free(&gaps);
  MPI_File_close(&file);
}

/* The ranks' order at the shared position is open, but no two may write to the same place. */
static void together(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Status status;
  MPI_Offset position;
  int all[64], sum = 0;
  reset();
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(file, from, rank + 1, MPI_INT, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &position);
  say("ordered %d %ld", elements(&status), (long)position);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_write_shared(file, from, 2, MPI_INT, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &position);
  MPI_File_read_at(file, 0, all, (int)position, MPI_INT, &status);
  for (int i = 0; i < (int)position; ++i) sum += all[i] * (i < size * (size + 1) / 2 ? i : 1);
  say("shared %ld %d", (long)position, sum);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 1, MPI_SEEK_SET);
  MPI_File_read_ordered(file, into, 1, MPI_INT, &status);
  say("sought %d", into[0]);
  MPI_File_close(&file);
}

/* The bytes of a view must not go backwards, and may overlap only if the file is not written. */
static void view_of(const char* name, MPI_File file, int length, int second) {
  MPI_Datatype type;
  int class;
  MPI_Type_indexed(2, (int[]){length, 1}, (int[]){1, second}, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Error_class(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), &class);
  say("%s %d", name, class == MPI_ERR_IO);
  MPI_Type_free(&type);
}
static void views(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  view_of("forward", file, 1, 3);
  view_of("backward", file, 1, 0);
  view_of("before the beginning", file, 1, -2);
  view_of("overlapping", file, 3, 2);
  MPI_File_close(&file);
  file = opened(MPI_MODE_RDONLY);
  view_of("read backward", file, 1, 0);
  view_of("read overlapping", file, 3, 2);
  MPI_File_close(&file);
}

/* A rank whose view shows nothing takes part with no elements. */
static void nothing(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Datatype none;
  MPI_Status status;
  MPI_Offset end, place;
  MPI_Type_contiguous(0, MPI_INT, &none);
  MPI_Type_commit(&none);
  reset();
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 8, MPI_INT, rank == 1 ? none : MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, from, rank == 0 ? 5 : 0, MPI_INT, &status);
  say("nothing %d", elements(&status));
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &end);
  MPI_File_get_byte_offset(file, 0, &place);
  say("ends at %ld from %ld", (long)end, (long)place);
  MPI_Type_free(&none);
  MPI_File_close(&file);
}

/* When one rank writes several runs in atomic mode, another rank sees all of them or none. */
static void atomic(void) {
  enum { pieces = 100, rounds = 60 };
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Datatype gaps;
  int torn = 0, flag;
  MPI_Type_vector(pieces, 1, 7, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_INT, gaps, "native", MPI_INFO_NULL);
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  memset(from, 0, sizeof from);
  if (rank == 0) MPI_File_write_at(file, 0, from, pieces, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < pieces; ++i) from[i] = round * size + rank;
    if (rank < 2) MPI_File_write_at(file, 0, from, pieces, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, into, pieces, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 1; i < pieces; ++i) torn += into[i] != into[0];
  }
  say("atomic %d torn %d", flag, torn);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&gaps);
  MPI_File_close(&file);
}

/* Numbers in external32 are big-endian, and have their old values when read back. */
static void external(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Datatype row;
  double out[6], in[12] = {0};
  unsigned char bytes[8];
  char as[MPI_MAX_DATAREP_STRING];
  MPI_Offset displacement;
  MPI_Datatype etype, filetype;
  MPI_Status status;
  int n;
  for (int i = 0; i < 6; ++i) out[i] = -1.5 * i + rank;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 64 * rank, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL);
  MPI_File_write_at_all(file, 0, out, 6, MPI_DOUBLE, &status);
  MPI_File_read_at_all(file, 1, in, 1, row, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  say("converted %d: %g %g %g %g", n, in[0], in[1], in[2], in[4]);
  MPI_File_get_view(file, &displacement, &etype, &filetype, as);
  MPI_File_set_view(file, 64 * rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, 8, bytes, 8, MPI_BYTE, &status);
  say("%s %02x%02x%02x%02x ... %02x", as, bytes[0], bytes[1], bytes[2], bytes[3], bytes[7]);
  MPI_Type_free(&row);
  MPI_File_close(&file);
}

static void refused(void) {
  MPI_File file;
  int code, class, mode;
  code = MPI_File_open(MPI_COMM_WORLD, "/nowhere/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_Error_class(code, &class);
  say("missing %d", class == MPI_ERR_NO_SUCH_FILE);
  code =
      MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_Error_class(code, &class);
  say("mode %d", class == MPI_ERR_AMODE);
  file = opened(MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  MPI_Error_class(MPI_File_set_size(file, 0), &class);
  code = MPI_File_read_at(file, 0, into, 1, MPI_INT, MPI_STATUS_IGNORE);
  say("as large as before %d, read %d", class == MPI_ERR_READ_ONLY, code);
  MPI_File_get_amode(file, &mode);
  code = MPI_File_write(file, from, 1, MPI_INT, MPI_STATUS_IGNORE);
  say("only read %d %d", code != MPI_SUCCESS, mode == (MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE));
  MPI_File_close(&file);
  say("gone %d", access(path, F_OK));
}

int main(int argc, char** argv) {
  path = argv[1];
  begin(&argc, &argv);
  columns();
  ways();
  together();
  views();
  nothing();
  atomic();
  external();
  refused();
  end();
}
