// This file initialises and finalises QMP, and tells a program about the nodes.

#include "qmp/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace onehop::qmp {

process_state& process() noexcept {
  // It is never destroyed, because a program may call QMP while it exits.
  static process_state& only = *new process_state;
  return only;
}

namespace {

/// Returns the word as a number from 1 on, or 0 if it is not one.
int positive(const char* word) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(word, &end, 10);
  const bool is_number = end != word && *end == '\0' && errno == 0;
  return is_number && value > 0 && value < 1 << 30 ? static_cast<int>(value) : 0;
}

/// Ends the job for arguments of the original QMP that have no effect here.
void refuse_others(int count, char** words) {
  for (const std::string_view word : std::span(words, static_cast<std::size_t>(count)))
    if (word.starts_with("-qmp-") && word != "-qmp-geom")
      fail(text(word, " is not known: of words for QMP there is -qmp-geom alone"));
}

/// Takes `-qmp-geom N...` out of the program's arguments and returns the numbers.
std::vector<int> take_geometry(int& count, char** words) {
  std::vector<int> found;
  const auto end = words + count;
  const auto option =
      std::find_if(words, end, [](const char* w) { return std::strcmp(w, "-qmp-geom") == 0; });
  if (option == end) return found;
  auto after = option + 1;
  if (after == end || positive(*after) == 0)
    fail("-qmp-geom has no numbers: give the dimensions of the grid behind it");
  for (; after != end && positive(*after) > 0; ++after) found.push_back(positive(*after));
  std::copy(after, end, option);
  count -= static_cast<int>(after - option);
  words[count] = nullptr;
  return found;
}

void take_words(int* argc, char*** argv) {
  process_state& here = process();
  if (argc == nullptr || argv == nullptr || *argv == nullptr) return;
  refuse_others(*argc, *argv);
  here.geometry = take_geometry(*argc, *argv);
  if (here.geometry.empty()) return;
  std::int64_t nodes = 1;
  for (const int extent : here.geometry) nodes = std::min<std::int64_t>(nodes * extent, INT32_MAX);
  if (nodes != here.world.size)
    fail(text("-qmp-geom has ", nodes, " nodes and the job ", here.world.size,
              ": give dimensions whose product is ", here.world.size));
  grid allocated{here.geometry, std::vector<int>(here.geometry.size()), {}};
  std::iota(allocated.order.begin(), allocated.order.end(), 0);
  here.coordinates.resize(here.geometry.size());
  allocated.coordinates(here.world.rank, here.coordinates.data());
}

void join(QMP_thread_level_t required, QMP_thread_level_t* provided) {
  process_state& here = process();
  int flag = 0, level = 0;
  MPI_Initialized(&flag);
  here.began_mpi = flag == 0;
  if (here.began_mpi) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  adopt(here.world, MPI_COMM_WORLD);
  here.is_joined = true;
  if (provided != nullptr) *provided = std::min(required, QMP_THREAD_FUNNELED);
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

QMP_status_t QMP_init_msg_passing(int* argc, char*** argv, QMP_thread_level_t required,
                                  QMP_thread_level_t* provided) {
  if (process().is_joined || process().has_left) {
    const call here("QMP_init_msg_passing");
    fail("called a second time");
  }
  join(required, provided);
  const call here("QMP_init_msg_passing");
  take_words(argc, argv);
  return QMP_SUCCESS;
}

QMP_bool_t QMP_is_initialized(void) { return process().is_joined ? QMP_TRUE : QMP_FALSE; }

void QMP_finalize_msg_passing(void) {
  const call here("QMP_finalize_msg_passing");
  process_state& all = process();
  release(all.world);
  if (all.began_mpi) MPI_Finalize();
  all.is_joined = false;
  all.has_left = true;
}

void QMP_abort(int error_code) { MPI_Abort(MPI_COMM_WORLD, error_code); }

void QMP_abort_string(int error_code, char* message) {
  if (message != nullptr) std::fprintf(stderr, "%s\n", message);
  QMP_abort(error_code);
}

QMP_ictype_t QMP_get_msg_passing_type(void) {
  const call here("QMP_get_msg_passing_type");
  return process().geometry.empty() ? QMP_SWITCH : QMP_GRID;
}
int QMP_get_allocated_number_of_dimensions(void) {
  return static_cast<int>(process().geometry.size());
}
const int* QMP_get_allocated_dimensions(void) {
  return process().geometry.empty() ? nullptr : process().geometry.data();
}
const int* QMP_get_allocated_coordinates(void) {
  return process().coordinates.empty() ? nullptr : process().coordinates.data();
}

int QMP_get_number_of_jobs(void) { return 1; }
int QMP_get_job_number(void) { return 0; }
int QMP_get_number_of_job_geometry_dimensions(void) { return 0; }
const int* QMP_get_job_geometry(void) { return nullptr; }

int QMP_io_node(int node) { return node; }
int QMP_master_io_node(void) { return 0; }

double QMP_time(void) { return MPI_Wtime(); }
}
