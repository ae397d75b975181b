// This file begins and ends a recording.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "recorder/recording.hpp"

#define ONEHOP_ABI(name) name

extern "C" {
[[gnu::weak]] int PMPI_Init(int* count, char*** words);
[[gnu::weak]] int PMPI_Init_thread(int* count, char*** words, int required, int* provided);
[[gnu::weak]] int PMPI_Finalize(void);
[[gnu::weak]] int PMPI_Comm_rank(MPI_Comm comm, int* rank);
[[gnu::weak]] int PMPI_Comm_size(MPI_Comm comm, int* size);
[[gnu::weak]] int PMPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
}

namespace onehop::recorder {
namespace {

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world), &rank);
  return rank;
}

/// The ranks of a recording agree on a name of the run, which distinguishes the files of two runs.
std::string agreed_name(MPI_Comm world) {
  constexpr std::uintptr_t int_type = 0x209;
  std::random_device seed;
  int name[2] = {static_cast<int>(seed()), static_cast<int>(seed())};
  PMPI_Bcast(name, 2, mpi_abi::fixed<MPI_Datatype>(int_type), 0, world);
  char words[20];
  std::snprintf(words, sizeof words, "%08x%08x", static_cast<unsigned>(name[0]),
                static_cast<unsigned>(name[1]));
  return words;
}

void begin() {
  const auto world = mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world);
  int ranks = 1;
  PMPI_Comm_size(world, &ranks);
  // A run that only computes as recorded sends no messages for this, because they would take
  // virtual time.
  const bool recorded = std::getenv("ONEHOP_RECORDING") != nullptr;
  here().begin(recorded ? agreed_name(world) : "", own_rank(), ranks);
}

}  // namespace
}  // namespace onehop::recorder

extern "C" {

int MPI_Init(int* count, char*** words) {
  const onehop::recorder::call seen("MPI_Init", nullptr);
  const int code = PMPI_Init(count, words);
  if (code == onehop::mpi_abi::success) onehop::recorder::begin();
  return code;
}

int MPI_Init_thread(int* count, char*** words, int required, int* provided) {
  const onehop::recorder::call seen("MPI_Init_thread", nullptr);
  const int code = PMPI_Init_thread(count, words, required, provided);
  if (code == onehop::mpi_abi::success) onehop::recorder::begin();
  return code;
}

int MPI_Finalize(void) {
  {
    // The last line has the time computed since the last MPI call.
    const onehop::recorder::call seen("MPI_Finalize", __builtin_return_address(0));
    if (seen.recorded()) onehop::recorder::line(seen, "end");
  }
  onehop::recorder::here().end(onehop::recorder::own_rank());
  return PMPI_Finalize();
}
}
