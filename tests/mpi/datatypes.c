/* Datatypes: their sizes and bounds, and messages between buffers that they describe. */
#include <stddef.h>

#include "say.h"

static double field[6][7][8];

static void show(const char* name, MPI_Datatype type) {
  MPI_Aint lower, extent, true_lower, true_extent;
  int bytes;
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  say("%s: size %d from %ld extent %ld true from %ld extent %ld", name, bytes, (long)lower,
      (long)extent, (long)true_lower, (long)true_extent);
}

/* Sends elements of one type to the next rank, and receives them as bytes and as the same type. */
static void pass(const char* name, MPI_Datatype type, int count) {
  static double got[6][7][8];
  static char packed[sizeof field];
  MPI_Status status;
  int bytes, elements, packed_bytes = 0;
  MPI_Type_commit(&type);
  show(name, type);
  memset(got, 0, sizeof got);
  memset(packed, 0, sizeof packed);
  MPI_Type_size(type, &bytes);
  MPI_Sendrecv(field, count, type, next(1), 1, got, count, type, next(-1), 1, MPI_COMM_WORLD,
               &status);
  MPI_Get_count(&status, type, &elements);
  MPI_Sendrecv(field, count, type, next(1), 2, packed, (int)sizeof packed, MPI_BYTE, next(-1), 2,
               MPI_COMM_WORLD, &status);
  say("%s: %d elements %llx packed %llx", name, elements,
      (unsigned long long)digest(got, sizeof got), (unsigned long long)digest(packed, sizeof packed));
  memset(packed, 0, sizeof packed);
  MPI_Pack(field, count, type, packed, (int)sizeof packed, &packed_bytes, MPI_COMM_WORLD);
  say("%s: MPI_Pack %d %llx", name, packed_bytes, (unsigned long long)digest(packed, sizeof packed));
  MPI_Type_free(&type);
}

struct mixed {
  char letter;
  double number;
  short tail[3];
};

static void derived(void) {
  MPI_Datatype one, two, three;
  MPI_Type_contiguous(5, MPI_DOUBLE, &one);
  pass("contiguous", one, 3);
  MPI_Type_vector(6, 2, 7, MPI_DOUBLE, &one);
  pass("vector", one, 2);
  MPI_Type_vector(3, 1, -4, MPI_DOUBLE, &one);
  MPI_Type_commit(&one);
  show("backwards", one);
  MPI_Type_free(&one);
  MPI_Type_create_hvector(4, 3, 72, MPI_FLOAT, &one);
  pass("hvector", one, 2);
  pass("indexed", (MPI_Type_indexed(3, (int[]){2, 1, 4}, (int[]){5, 0, 9}, MPI_DOUBLE, &one), one),
       2);
  MPI_Type_create_indexed_block(3, 2, (int[]){8, 1, 4}, MPI_DOUBLE, &one);
  pass("indexed block", one, 2);
  MPI_Type_create_hindexed(2, (int[]){3, 2}, (MPI_Aint[]){48, 4}, MPI_INT, &one);
  pass("hindexed", one, 3);
  MPI_Type_create_struct(
      3, (int[]){1, 1, 3},
      (MPI_Aint[]){offsetof(struct mixed, letter), offsetof(struct mixed, number),
                   offsetof(struct mixed, tail)},
      (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, &one);
  say("as in C: %d", (int)sizeof(struct mixed));
  pass("struct", one, 4);
  MPI_Type_create_subarray(3, (int[]){6, 7, 8}, (int[]){3, 2, 5}, (int[]){1, 4, 2}, MPI_ORDER_C,
                           MPI_DOUBLE, &one);
  pass("subarray", one, 1);
  MPI_Type_create_subarray(3, (int[]){8, 7, 6}, (int[]){5, 2, 3}, (int[]){2, 4, 1},
                           MPI_ORDER_FORTRAN, MPI_DOUBLE, &one);
  pass("subarray of Fortran", one, 1);
  MPI_Type_create_resized(MPI_INT, 0, 20, &one);
  pass("resized", one, 9);
  /* This is a column of columns, made of a resized vector. */
  MPI_Type_vector(6, 1, 56, MPI_DOUBLE, &two);
  MPI_Type_create_resized(two, 0, sizeof(double), &three);
  MPI_Type_contiguous(4, three, &one);
  pass("columns", one, 2);
  MPI_Type_dup(three, &one);
  pass("duplicate", one, 3);
  MPI_Type_free(&two);
  MPI_Type_free(&three);
}

/* Elements are counted correctly however many there are: one datatype has 17 billion. */
static void counted(void) {
  MPI_Datatype million, mixed;
  MPI_Status status;
  MPI_Count elements, one;
  memset(&status, 0, sizeof status);
  MPI_Type_contiguous(1 << 20, MPI_CHAR, &million);
  MPI_Type_create_struct(3, (int[]){1, 2, 1 << 14}, (MPI_Aint[]){0, 8, 32},
                         (MPI_Datatype[]){MPI_INT, MPI_SHORT, million}, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Type_size_c(mixed, &one);
  for (int bytes = 0; bytes < 20; ++bytes) {
    MPI_Status_set_elements_c(&status, MPI_CHAR, bytes + (bytes > 10 ? 100 * one : 0));
    MPI_Get_elements_c(&status, mixed, &elements);
    say("of %d bytes %lld", bytes, (long long)elements);
  }
  MPI_Type_free(&million);
  MPI_Type_free(&mixed);
}

/* Matches the types of a class by size. */
static void sized(int number_class) {
  for (int bytes = 1; bytes <= 64; bytes *= 2) {
    MPI_Datatype type;
    char name[MPI_MAX_OBJECT_NAME] = "none";
    int length, class;
    MPI_Error_class(MPI_Type_match_size(number_class, bytes, &type), &class);
    if (class == MPI_SUCCESS) MPI_Type_get_name(type, name, &length);
    say("class %d of %d bytes: %s, error %d", number_class, bytes, name, class);
  }
}

static void paired(MPI_Datatype value, MPI_Datatype place) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  int class;
  MPI_Error_class(MPI_Type_get_value_index(value, place, &pair), &class);
  say("pair is 2INT: %d, null: %d, error %d", pair == MPI_2INT, pair == MPI_DATATYPE_NULL, class);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  double* number = &field[0][0][0];
  for (size_t i = 0; i < sizeof field / sizeof *number; ++i) number[i] = (double)i + 0.001 * rank;
  const MPI_Datatype predefined[] = {
      MPI_AINT,          MPI_COUNT,        MPI_OFFSET,        MPI_PACKED,
      MPI_SHORT,         MPI_INT,          MPI_LONG,          MPI_LONG_LONG,
      MPI_UNSIGNED,      MPI_FLOAT,        MPI_DOUBLE,        MPI_LONG_DOUBLE,
      MPI_C_COMPLEX,     MPI_C_BOOL,       MPI_WCHAR,         MPI_C_DOUBLE_COMPLEX,
      MPI_BYTE,          MPI_CHAR,         MPI_SIGNED_CHAR,   MPI_C_LONG_DOUBLE_COMPLEX,
      MPI_INT8_T,        MPI_UINT16_T,     MPI_INT32_T,       MPI_UINT64_T,
      MPI_FLOAT_INT,     MPI_DOUBLE_INT,   MPI_LONG_INT,      MPI_2INT,
      MPI_SHORT_INT,     MPI_LONG_DOUBLE_INT, MPI_UNSIGNED_CHAR, MPI_UNSIGNED_LONG_LONG};
  for (size_t i = 0; i < sizeof predefined / sizeof *predefined; ++i) {
    char name[30];
    snprintf(name, sizeof name, "predefined %zu", i);
    show(name, predefined[i]);
  }
  derived();
  counted();
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int class = MPI_TYPECLASS_INTEGER; class <= MPI_TYPECLASS_COMPLEX; ++class) sized(class);
  paired(MPI_INT, MPI_INT);
  paired(MPI_INT, MPI_FLOAT);
  paired(MPI_DATATYPE_NULL, MPI_INT);
  paired(MPI_INT, MPI_DATATYPE_NULL);
  if (argc > 1) sized(MPIX_TYPECLASS_LOGICAL);
  end();
}
