/* Random accesses to a file by all ranks: views, positions, sizes, every way to read and write.
   They are drawn from a seed that every rank knows, so each rank can predict the file's contents,
   the positions and the results of reads. FILE SEED SEEDS [whole | wrong]: the file never has
   holes, whose bytes the standard leaves open, or some calls are invalid. */
#include <limits.h>

#include "draw.h"
#include "say.h"

enum { most_pieces = 256, most_bytes = 1 << 17, most_ranks = 8, most_elements = 120, steps = 30 };

/* Bytes taken from consecutive tiles. */
struct layout {
  long extent, size;
  int pieces;
  struct {
    long at, bytes;
  } piece[most_pieces];
};
struct view {
  long displacement;
  long number; /* bytes per number; their order in the file is reversed if the view is external32 */
  int external;
  struct layout element, shown;
  MPI_Datatype etype, filetype;
};

enum way { at_offset, own, shared };

static const char* path;
static unsigned seed, step;
static int found_wrong, is_whole, with_wrong;
static MPI_File file;
static struct view views[most_ranks];
static int one_view; /* whether all ranks have one view, which the shared position requires */
static unsigned char expected[most_bytes], claimed[most_bytes];
static long file_bytes, positions[most_ranks], shared_position;

static void wrong(const char* what, long is, long should) {
  if (++found_wrong <= 20)
    say("wrong: seed %u step %u: %s %ld for %ld", seed, step, what, is, should);
}
static void require(const char* what, long is, long should) {
  if (is != should) wrong(what, is, should);
}

static void add(struct layout* to, long at, const struct layout* what, long count) {
  for (long k = 0; k < count; ++k)
    for (int p = 0; p < what->pieces; ++p) {
      to->piece[to->pieces].at = at + k * what->extent + what->piece[p].at;
      to->piece[to->pieces++].bytes = what->piece[p].bytes;
      to->size += what->piece[p].bytes;
    }
}
static long place(const struct layout* of, long byte) {
  long tile = byte / of->size, left = byte % of->size;
  int p = 0;
  while (left >= of->piece[p].bytes) left -= of->piece[p++].bytes;
  return tile * of->extent + of->piece[p].at + left;
}
static long place_in_file(int who, long byte) {
  return views[who].displacement + place(&views[who].shown, byte);
}
/* Returns which byte of an access is at the position of this byte in the file. */
static long turned(int who, long byte) {
  const long number = views[who].number;
  return views[who].external ? byte + number - 1 - 2 * (byte % number) : byte;
}
/* Returns how many bytes of a view lie before the end of the file. */
static long shown_bytes(int who) {
  long bytes = 0;
  while (place_in_file(who, bytes) < file_bytes) ++bytes;
  return bytes;
}
static long elements(int who, long bytes) {
  return (bytes + views[who].element.size - 1) / views[who].element.size;
}

static MPI_Datatype draw_element(struct layout* of, long* number) {
  static const int bytes[] = {1, 2, 4, 8, 6, 8}, of_number[] = {1, 2, 4, 8, 2, 4};
  const unsigned kind = draw(6);
  const MPI_Datatype plain[] = {MPI_BYTE, MPI_INT16_T, MPI_INT, MPI_DOUBLE};
  MPI_Datatype made;
  *number = of_number[kind];
  *of = (struct layout){bytes[kind], bytes[kind], 1, {{0, bytes[kind]}}};
  if (kind < 4) {
    MPI_Type_dup(plain[kind], &made);
  } else if (kind == 4) {
    MPI_Type_contiguous(3, MPI_INT16_T, &made);
  } else {
    MPI_Type_vector(2, 1, 2, MPI_INT, &made);
    *of = (struct layout){12, 8, 2, {{0, 4}, {8, 4}}};
  }
  return made;
}

static void draw_view(struct view* to) {
  struct layout* shown = &to->shown;
  to->etype = draw_element(&to->element, &to->number);
  const struct layout* element = &to->element;
  const int blocks = 1 + (int)draw(4), length = 1 + (int)draw(5), gap = (int)draw(4);
  int lengths[4], begins[4], end = (int)draw(3);
  MPI_Aint bytes[4];
  MPI_Datatype types[4], made;
  *shown = (struct layout){0};
  for (int b = 0; b < blocks; ++b) {
    lengths[b] = 1 + (int)draw(4), begins[b] = end, bytes[b] = end * element->extent;
    types[b] = to->etype;
    end += lengths[b] + (int)draw(4);
  }
  const unsigned kind = draw(5);
  if (kind == 0) {
    MPI_Type_contiguous(length, to->etype, &made);
    add(shown, 0, element, length);
  } else if (kind == 1) {
    MPI_Type_vector(blocks, length, length + gap, to->etype, &made);
    for (int b = 0; b < blocks; ++b)
      add(shown, b * (length + gap) * element->extent, element, length);
  } else if (kind == 2) {
    MPI_Type_create_subarray(2, (int[]){blocks + 1, length + gap}, (int[]){blocks, length},
                             (int[]){1, gap}, MPI_ORDER_C, to->etype, &made);
    for (int b = 0; b < blocks; ++b)
      add(shown, ((b + 1) * (length + gap) + gap) * element->extent, element, length);
  } else {
    if (kind == 3)
      MPI_Type_indexed(blocks, lengths, begins, to->etype, &made);
    else
      MPI_Type_create_struct(blocks, lengths, bytes, types, &made);
    for (int b = 0; b < blocks; ++b) add(shown, bytes[b], element, lengths[b]);
  }
  shown->extent = (end + blocks * (length + gap) + length + gap + (int)draw(20)) * element->extent;
  MPI_Type_create_resized(made, 0, shown->extent, &to->filetype);
  MPI_Type_free(&made);
  to->displacement = draw(300);
  /* Runs compared with another MPI use native, since not every MPI has external32. */
  to->external = !is_whole && draw(3) == 0;
}

/* Ranks have the same view, disjoint views, or any views. */
static void draw_views(void) {
  const unsigned kind = draw(3);
  one_view = kind == 0;
  for (int who = 0; who < size; ++who) {
    const uint64_t begun = state;
    draw_view(&views[who]);
    if (kind < 2 && who + 1 < size) state = begun;
    if (kind != 1) continue;
    const long tile = views[who].shown.extent;
    MPI_Datatype narrow = views[who].filetype;
    views[who].displacement += who * tile;
    views[who].shown.extent = size * tile;
    MPI_Type_create_resized(narrow, 0, size * tile, &views[who].filetype);
    MPI_Type_free(&narrow);
  }
  for (int who = 0; who < size; ++who) {
    struct view* of = &views[who];
    MPI_Type_commit(&of->etype), MPI_Type_commit(&of->filetype);
    positions[who] = 0;
  }
  shared_position = 0;
  MPI_File_set_view(file, views[rank].displacement, views[rank].etype, views[rank].filetype,
                    views[rank].external ? "external32" : "native", MPI_INFO_NULL);
}
static void free_views(void) {
  for (int who = 0; who < size; ++who)
    MPI_Type_free(&views[who].etype), MPI_Type_free(&views[who].filetype);
}

static void finish_writing(void) {
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
}

/* One rank's access: `count` elements, contiguous or with gaps in memory. */
struct access {
  enum way way;
  int writes, all, later, gaps;
  long offset, count;
};

static int by_one(const struct access* of, void* data, int count, MPI_Datatype type,
                  MPI_Status* status) {
  const long at = of->offset;
  MPI_Request request;
  int code;
  if (!of->later && of->writes)
    return of->way == at_offset ? MPI_File_write_at(file, at, data, count, type, status)
           : of->way == own     ? MPI_File_write(file, data, count, type, status)
                                : MPI_File_write_shared(file, data, count, type, status);
  if (!of->later)
    return of->way == at_offset ? MPI_File_read_at(file, at, data, count, type, status)
           : of->way == own     ? MPI_File_read(file, data, count, type, status)
                                : MPI_File_read_shared(file, data, count, type, status);
  if (of->writes)
    code = of->way == at_offset ? MPI_File_iwrite_at(file, at, data, count, type, &request)
           : of->way == own     ? MPI_File_iwrite(file, data, count, type, &request)
                                : MPI_File_iwrite_shared(file, data, count, type, &request);
  else
    code = of->way == at_offset ? MPI_File_iread_at(file, at, data, count, type, &request)
           : of->way == own     ? MPI_File_iread(file, data, count, type, &request)
                                : MPI_File_iread_shared(file, data, count, type, &request);
  if (code == MPI_SUCCESS) MPI_Wait(&request, status);
  return code;
}

static int by_all(const struct access* of, void* data, int count, MPI_Datatype type,
                  MPI_Status* status) {
  const long at = of->offset;
  if (!of->later && of->writes)
    return of->way == at_offset ? MPI_File_write_at_all(file, at, data, count, type, status)
           : of->way == own     ? MPI_File_write_all(file, data, count, type, status)
                                : MPI_File_write_ordered(file, data, count, type, status);
  if (!of->later)
    return of->way == at_offset ? MPI_File_read_at_all(file, at, data, count, type, status)
           : of->way == own     ? MPI_File_read_all(file, data, count, type, status)
                                : MPI_File_read_ordered(file, data, count, type, status);
  if (of->writes) {
    const int code = of->way == at_offset ? MPI_File_write_at_all_begin(file, at, data, count, type)
                     : of->way == own     ? MPI_File_write_all_begin(file, data, count, type)
                                          : MPI_File_write_ordered_begin(file, data, count, type);
    if (code != MPI_SUCCESS) return code;
    return of->way == at_offset ? MPI_File_write_at_all_end(file, data, status)
           : of->way == own     ? MPI_File_write_all_end(file, data, status)
                                : MPI_File_write_ordered_end(file, data, status);
  }
  const int code = of->way == at_offset ? MPI_File_read_at_all_begin(file, at, data, count, type)
                   : of->way == own     ? MPI_File_read_all_begin(file, data, count, type)
                                        : MPI_File_read_ordered_begin(file, data, count, type);
  if (code != MPI_SUCCESS) return code;
  return of->way == at_offset ? MPI_File_read_at_all_end(file, data, status)
         : of->way == own     ? MPI_File_read_all_end(file, data, status)
                              : MPI_File_read_ordered_end(file, data, status);
}

static unsigned char value(int who, long byte) {
  return (unsigned char)((seed * 7919 + step * 131 + (unsigned)who * 37 + (unsigned)byte * 11) >>
                         1);
}

static long begin_of(int who, const struct access* of) {
  const long at = of->way == at_offset ? of->offset
                  : of->way == own     ? positions[who]
                                       : shared_position;
  return at * views[who].element.size;
}
static long bytes_of(int who, const struct access* of) {
  return of->count * views[who].element.size;
}

/* Returns whether the access stays within the checked part of the file and, if all ranks write at
   once, does not overlap the writes of lower ranks. */
static int is_possible(int who, const struct access* of) {
  const long begin = begin_of(who, of), bytes = bytes_of(who, of);
  for (long k = 0; k < bytes; ++k) {
    const long at = place_in_file(who, begin + k);
    if (at >= most_bytes || (of->all && of->writes && claimed[at])) return 0;
  }
  for (long k = 0; k < bytes; ++k) claimed[place_in_file(who, begin + k)] = 1;
  return 1;
}

/* Does the access in `expected`, advances the positions, and returns the number of bytes moved. */
static long foresee(int who, const struct access* of) {
  const long begin = begin_of(who, of), bytes = bytes_of(who, of);
  long done = 0;
  for (; done < bytes; ++done) {
    const long at = place_in_file(who, begin + done);
    if (!of->writes && at >= file_bytes) break;
    if (!of->writes) continue;
    expected[at] = value(who, turned(who, done));
    if (at >= file_bytes) file_bytes = at + 1;
  }
  if (of->way == own) positions[who] += elements(who, done);
  if (of->way == shared) shared_position += of->count;
  return done;
}

/* Returns a byte read from `begin` on. If the file ends within a number, its missing bytes are
   0. */
static unsigned char read_byte(long begin, long done, long byte) {
  return byte < done ? expected[place_in_file(rank, begin + byte)] : 0;
}

/* Carries out the predicted access, and checks every byte of its memory. */
static void carry_out(const struct access* of, long begin, long done) {
  static unsigned char data[most_elements * 64];
  const struct layout* element = &views[rank].element;
  struct layout memory = *element;
  MPI_Datatype type = views[rank].etype;
  MPI_Status status;
  int count = (int)of->count, bytes;
  if (of->gaps) {
    MPI_Type_vector(count, 1, 2, views[rank].etype, &type);
    MPI_Type_commit(&type);
    memory.extent *= 2, count = 1;
  }
  memset(data, 90, sizeof data);
  if (of->writes)
    for (long k = 0; k < done; ++k) data[place(&memory, k)] = value(rank, k);
  const int code =
      of->all ? by_all(of, data, count, type, &status) : by_one(of, data, count, type, &status);
  require("code", code, MPI_SUCCESS);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  require(of->writes ? "bytes written" : "bytes read", bytes, done);
  for (long k = 0; k < done; ++k) {
    unsigned char* const here = &data[place(&memory, k)];
    require("byte", *here, of->writes ? value(rank, k) : read_byte(begin, done, turned(rank, k)));
    *here = 90;
  }
  for (size_t k = 0; k < sizeof data; ++k) require("byte beside the data", data[k], 90);
  if (of->gaps) MPI_Type_free(&type);
}

static void access_file(void) {
  struct access all[most_ranks], common;
  common.way = draw(one_view ? 3 : 2);
  common.writes = draw(5) < 3, common.all = (int)draw(2), common.later = (int)draw(2);
  memset(claimed, 0, sizeof claimed);
  for (int who = 0; who < size; ++who) {
    all[who] = common;
    all[who].gaps = (int)draw(2);
    all[who].count = draw(4) == 0 ? 0 : draw(most_elements);
    all[who].offset = draw(500);
  }
  long begins[most_ranks], done[most_ranks];
  for (int who = 0; who < size; ++who) {
    if (!is_possible(who, &all[who])) all[who].count = 0;
    begins[who] = begin_of(who, &all[who]);
    done[who] = foresee(who, &all[who]);
    if (!common.all) {
      if (who == rank) carry_out(&all[who], begins[who], done[who]);
      finish_writing();
    }
  }
  if (common.all) carry_out(&all[rank], begins[rank], done[rank]);
  finish_writing();
}

static void resize(void) {
  const long bytes = draw(30000);
  MPI_Offset now;
  if (draw(2)) {
    MPI_File_set_size(file, bytes);
    if (bytes < file_bytes) memset(expected + bytes, 0, (size_t)(file_bytes - bytes));
    file_bytes = bytes;
  } else {
    MPI_File_preallocate(file, bytes);
    if (bytes > file_bytes) file_bytes = bytes;
  }
  finish_writing();
  MPI_File_get_size(file, &now);
  require("size", (long)now, file_bytes);
}

/* If the file ends within an element of a view, no position is relative to its end. */
static long sought(int who, long now, int* whence, long* offset) {
  static const int ways[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};
  const unsigned kind = draw(3);
  long from = kind == 0 ? 0 : now;
  *whence = ways[kind], *offset = draw(400);
  if (kind == 2) {
    const long bytes = shown_bytes(who);
    from = bytes / views[who].element.size;
    if (bytes % views[who].element.size != 0) *whence = MPI_SEEK_SET, from = 0;
  }
  if (kind > 0 && draw(2)) *offset = -(*offset % (from + 1));
  if (*whence == MPI_SEEK_SET && *offset < 0) *offset = -*offset;
  return from + *offset;
}

static void seek(void) {
  MPI_Offset position, byte;
  int whence;
  long offset;
  for (int who = 0; who < size; ++who) {
    positions[who] = sought(who, positions[who], &whence, &offset);
    if (who == rank) MPI_File_seek(file, offset, whence);
  }
  MPI_File_get_position(file, &position);
  require("position", (long)position, positions[rank]);
  MPI_File_get_byte_offset(file, position, &byte);
  require("byte offset", (long)byte,
          place_in_file(rank, positions[rank] * views[rank].element.size));
  if (!one_view) return;
  shared_position = sought(0, shared_position, &whence, &offset);
  MPI_File_seek_shared(file, offset, whence);
  MPI_File_get_position_shared(file, &position);
  require("shared position", (long)position, shared_position);
}

static void be_refused(void) {
  static int data[4], other[4] = {-1, -1, -1, -1};
  const MPI_Offset far[] = {-1, LLONG_MIN, LLONG_MAX, LLONG_MAX / 2, LLONG_MAX / 8};
  const MPI_Offset offset = far[draw(5)];
  MPI_Datatype type = views[rank].etype, none = MPI_DATATYPE_NULL;
  MPI_Status status;
  MPI_Offset place;
  int code = 0;
  switch (draw(9)) {
    case 0:
      code = MPI_File_write_at(file, offset, data, 1, type, &status);
      break;
    case 1:
      /* The file is shorter, so a read that does not fail must bring nothing. */
      code = MPI_File_read_at(file, offset, data, 1, type, &status) != 0 || data[0] == 0;
      break;
    case 2:
      code = MPI_File_seek(file, offset < 0 ? LLONG_MIN : -LLONG_MAX, MPI_SEEK_CUR);
      break;
    case 3:
      code = MPI_File_get_byte_offset(file, offset < 0 ? offset : LLONG_MAX, &place);
      break;
    case 4:
      code = MPI_File_write_at(file, 0, data, -1 - (int)draw(9), type, &status);
      break;
    case 5:
      code = MPI_File_write_all(file, data, 1, none, &status);
      break;
    case 6:
      code = MPI_File_set_view(file, 0, none, none, "native", MPI_INFO_NULL);
      break;
    case 7:
      /* An invalid call must not write all the same. */
      MPI_File_write_at_all_begin(file, 0, data, 0, type);
      code = MPI_File_write_at_all_begin(file, 0, other, 1, type);
      MPI_File_write_at_all_end(file, data, &status);
      break;
    default:
      code = MPI_File_set_size(file, offset < 0 ? offset : -offset);
  }
  if (code == MPI_SUCCESS) wrong("what is impossible succeeds, offset", (long)offset, 0);
}

static void open_again(void) {
  const int appends = (int)draw(2), once = (int)draw(2);
  MPI_Offset position;
  free_views();
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | (appends ? MPI_MODE_APPEND : 0),
                MPI_INFO_NULL, &file);
  MPI_File_get_position(file, &position);
  require("first position", (long)position, appends ? file_bytes : 0);
  MPI_File_set_atomicity(file, once);
  draw_views();
}

static void play(void) {
  memset(expected, 0, sizeof expected);
  file_bytes = 0, step = 0;
  draw_from(seed);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  if (is_whole) {
    file_bytes = most_bytes;
    if (rank == 0) MPI_File_write_at(file, 0, expected, most_bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    finish_writing();
  }
  draw_views();
  for (step = 1; step <= steps; ++step) {
    const unsigned kind = draw(16);
    if (kind < 2)
      free_views(), draw_views();
    else if (kind == 2 && !is_whole)
      resize();
    else if (kind < 5)
      seek();
    else if (kind == 5)
      open_again();
    else if (kind == 6 && with_wrong)
      be_refused();
    else
      access_file();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free_views();
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  static unsigned char whole[most_bytes];
  MPI_File_read_at_all(file, 0, whole, (int)file_bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  for (long k = 0; k < file_bytes; ++k) require("byte of the file", whole[k], expected[k]);
  say("file %u of %ld bytes %llx", seed, file_bytes,
      (unsigned long long)digest(whole, (size_t)file_bytes));
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  path = argv[1];
  is_whole = argc > 4 && strcmp(argv[4], "whole") == 0;
  with_wrong = argc > 4 && strcmp(argv[4], "wrong") == 0;
  const unsigned first = (unsigned)atoi(argv[2]), last = first + (unsigned)atoi(argv[3]);
  alarm(60 + 5 * (last - first)); /* a rank that waits for nothing must not wait for ever */
  for (seed = first; seed < last; ++seed) play();
  end();
  return found_wrong > 0;
}
