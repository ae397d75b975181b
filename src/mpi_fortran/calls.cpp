// Functions of MPI that differ between Fortran and C. All others are one line each of
// functions.txt.

#include <vector>

#include "mpi/former_calls.hpp"
#include "mpi_fortran/arguments.hpp"

using namespace onehop::mpi_fortran;

namespace {

/// Displacements of MPI 1 are integers of four bytes.
std::vector<MPI_Aint> widened(const int* places, int count) { return {places, places + count}; }

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
double MPI_Wtime();
double MPI_Wtick();
int MPI_Pcontrol(int level, ...);
int MPI_Info_create_env(int count, char** words, MPI_Info* info);
int MPI_Type_get_contents(MPI_Datatype type, int integers, int addresses, int types,
                          int* array_of_integers, MPI_Aint* array_of_addresses,
                          MPI_Datatype* array_of_types);

void mpi_init_(int* error) { put_error(error, MPI_Init(nullptr, nullptr)); }
void mpi_init_thread_(const int* required, int* provided, int* error) {
  put_error(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}

// Fortran has no arguments of main.
void mpi_info_create_env_(int* made, int* error) {
  put_error(error, MPI_Info_create_env(0, nullptr, info_out(made)));
}

double mpi_wtime_() { return MPI_Wtime(); }
double mpi_wtick_() { return MPI_Wtick(); }

MPI_Aint mpi_aint_add_(const MPI_Aint* base, const MPI_Aint* more) { return *base + *more; }
MPI_Aint mpi_aint_diff_(const MPI_Aint* one, const MPI_Aint* other) { return *one - *other; }

// Only onehop's levels 100 and 101 have further arguments, so no other level may read them.
void mpi_pcontrol_(const int* level, const double* first, const double* second) {
  if (*level == 100)
    MPI_Pcontrol(*level, *first);
  else if (*level == 101)
    MPI_Pcontrol(*level, *first, *second);
  else
    MPI_Pcontrol(*level);
}

void mpi_type_get_contents_(const int* datatype, const int* integers, const int* addresses,
                            const int* types, int* array_of_integers, MPI_Aint* array_of_addresses,
                            int* array_of_types, int* error) {
  std::vector<MPI_Datatype> made(static_cast<std::size_t>(*types));
  put_error(error, MPI_Type_get_contents(type(datatype), *integers, *addresses, *types,
                                         array_of_integers, array_of_addresses, made.data()));
  for (std::size_t i = 0; i < made.size() && made[i] != nullptr; ++i)
    array_of_types[i] = to_integer(made[i]);
}

// Functions of MPI 1 with addresses of four bytes. Some of them are not in the ABI's C functions.
void mpi_address_(void* location, int* place, int* error) {
  MPI_Aint found = 0;
  put_error(error, MPI_Get_address(buffer(location), &found));
  *place = static_cast<int>(found);
}
void mpi_type_extent_(const int* datatype, int* extent, int* error) {
  MPI_Aint lower = 0, found = 0;
  put_error(error, MPI_Type_get_extent(type(datatype), &lower, &found));
  *extent = static_cast<int>(found);
}
void mpi_type_lb_(const int* datatype, int* lower, int* error) {
  MPI_Aint found = 0, extent = 0;
  put_error(error, MPI_Type_get_extent(type(datatype), &found, &extent));
  *lower = static_cast<int>(found);
}
void mpi_type_ub_(const int* datatype, int* upper, int* error) {
  MPI_Aint lower = 0, extent = 0;
  put_error(error, MPI_Type_get_extent(type(datatype), &lower, &extent));
  *upper = static_cast<int>(lower + extent);
}
void mpi_type_struct_(const int* count, const int* lengths, const int* places, int* of, int* made,
                      int* error) {
  put_error(error, MPI_Type_create_struct(*count, lengths, widened(places, *count).data(),
                                          types(of, count), type_out(made)));
}
void mpi_type_hvector_(const int* count, const int* length, const int* stride, const int* of,
                       int* made, int* error) {
  put_error(error, MPI_Type_create_hvector(*count, *length, *stride, type(of), type_out(made)));
}
void mpi_type_hindexed_(const int* count, const int* lengths, const int* places, const int* of,
                        int* made, int* error) {
  put_error(error, MPI_Type_create_hindexed(*count, lengths, widened(places, *count).data(),
                                            type(of), type_out(made)));
}
}
