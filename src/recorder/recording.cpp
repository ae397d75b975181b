#include "recorder/recording.hpp"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/words.hpp"
#include "recorder/unknown.hpp"

extern "C" {
[[gnu::weak]] int PMPI_Type_size_c(MPI_Datatype type, MPI_Count* size);
[[gnu::weak]] int PMPI_Get_library_version(char* words, int* length);
/// Only onehop's MPI library has this function.
[[gnu::weak]] void onehop_program_computes(std::int64_t nanoseconds);
}

namespace onehop::recorder {
namespace {

/// Fewer nanoseconds than this before a call that writes no line do not count as computing.
constexpr std::int64_t least_computing = 1000;

/// The number of nested calls: an MPI library may be built on its own functions.
thread_local int depth = 0;

/// Processor time excludes the time of other threads that share the core.
std::int64_t thread_time() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Returns the difference between two readings of the clock with no computing in between.
std::int64_t time_of_a_look() noexcept {
  constexpr int looks = 100;
  std::int64_t least = least_computing, before = thread_time();
  for (int i = 0; i < looks; ++i) {
    const std::int64_t now = thread_time();
    least = std::min(least, now - before);
    before = now;
  }
  return least;
}

void append(std::string& to, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  to.append(digits.data(), end);
}

std::string library_name() {
  std::array<char, 8192> words{};
  int length = 0;
  PMPI_Get_library_version(words.data(), &length);
  const std::string all(words.data());
  return all.substr(0, all.find('\n'));
}

std::string variable(const char* name) {
  const char* const set = std::getenv(name);
  return set == nullptr ? "" : set;
}

}  // namespace

std::string place_of(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return "?";
  const auto offset = static_cast<const char*>(address) - static_cast<char*>(found.dli_fbase);
  const std::string_view file = found.dli_fname;
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return std::string(file.substr(file.rfind('/') + 1)) + "+0x" + std::string(digits.data(), end);
}

recording& here() noexcept {
  static recording& only = *new recording;
  return only;
}

call::call(const char* function, const void* site) noexcept
    : function_(function), site_(site), recorded_(depth++ == 0 && here().active()) {
  if (!recorded_) return;
  if (here().is_its_thread()) {
    computed_ = here().computed();
    here().pass(site);
    return;
  }
  here().miss("calls of other threads");
  recorded_ = false;
}

call::~call() {
  --depth;
  if (recorded_) here().restart_clock(computed_);
}

bool call::succeeded(int code) const {
  if (recorded_ && code != mpi_abi::success) here().miss(std::string(function_) + " with an error");
  return recorded_ && code == mpi_abi::success;
}

line::line(const call& of, std::string_view kind) : line(kind) {
  here().charge();
  const std::int64_t site = here().note(of.site());
  add(site).add(of.computed());
}

line::~line() { here().write(text_ + "]\n"); }

line& line::add(std::int64_t number) {
  text_ += ',';
  append(text_, number);
  return *this;
}

line& line::add(std::span<const std::int64_t> numbers) {
  text_ += ",[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text_ += ',';
    append(text_, numbers[i]);
  }
  text_ += ']';
  return *this;
}

void recording::begin(std::string_view run, int rank, int ranks) {
  const std::string folder = variable("ONEHOP_RECORDING"), times = variable("ONEHOP_COMPUTING");
  if (folder.empty() && times.empty() && rank == 0)
    complain_as_recorder("nothing is recorded: ONEHOP_RECORDING names no folder");
  if (!times.empty() && (onehop_program_computes == nullptr || !computing_.read(times, rank)))
    complain_as_recorder("cannot take computing from " + times + " with this MPI");
  if (!folder.empty()) file_.open(folder, run, rank, ranks, library_name());
  thread_ = gettid();
  communicators_[mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world)] = 0;
  communicators_[mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_self)] = 1;
  look_ = time_of_a_look();
  charge();
  restart_clock(0);
}

bool recording::is_its_thread() const noexcept { return gettid() == thread_; }

recording::known_site& recording::known(const void* site) {
  const auto [found, fresh] = sites_.try_emplace(site);
  if (fresh && !computing_.empty()) found->second.recorded = computing_.number_of(place_of(site));
  return found->second;
}

void recording::pass(const void* site) {
  if (computing_.empty()) return;
  if (const std::int64_t time = computing_.take_before(known(site).recorded); time > 0)
    onehop_program_computes(time);
}

std::int64_t recording::note(const void* site) {
  known_site& from = known(site);
  if (!computing_.empty()) computing_.note(from.recorded);
  if (from.written < 0) from.written = file_.site(place_of(site));
  return from.written;
}

void recording::end(int rank) {
  computing_.tell_unknown(rank);
  if (!file_.is_open()) return;
  std::string missed, told;
  std::map<std::string, std::uint64_t> in_order(missed_.begin(), missed_.end());
  for (const unknown_function& each : unknown_functions())
    if (*each.calls > 0) in_order[each.name] += *each.calls;
  for (const auto& [function, calls] : in_order) {
    const bool first = told.empty();
    missed += (first ? "" : ",") + quoted(function) + ':' + std::to_string(calls);
    told += (first ? "" : ", ") + function + " (" + std::to_string(calls) + ')';
  }
  file_.end('{' + missed + '}');
  if (!told.empty())
    complain_as_recorder("rank " + std::to_string(rank) +
                         ": not recorded, so that no replay can be made: " + told);
}

// A program that polls for a message does not compute meanwhile.
void recording::restart_clock(std::int64_t computed) noexcept {
  if (!charged_ && computed - carried_ >= least_computing) carried_ = computed;
  charged_ = false;
  since_ = thread_time();
}

std::int64_t recording::computed() const noexcept {
  return carried_ + std::max(thread_time() - since_ - look_, std::int64_t{0});
}

std::int64_t recording::add_request(MPI_Request handle, bool persistent, bool any) {
  requests_[handle].push_back({requests_made_, persistent, any, !persistent});
  return requests_made_++;
}

known_request* recording::find(MPI_Request handle) {
  const auto found = requests_.find(handle);
  return found == requests_.end() ? nullptr : &found->second.front();
}

void recording::forget(MPI_Request handle) {
  const auto found = requests_.find(handle);
  if (found == requests_.end()) return;
  found->second.pop_front();
  if (found->second.empty()) requests_.erase(found);
}

std::int64_t recording::add_communicator(MPI_Comm handle) {
  if (mpi_abi::number_of(handle) == mpi_abi::comm_null) return -1;
  return communicators_[handle] = communicators_made_++;
}

std::int64_t recording::number_of(MPI_Comm handle) const {
  const auto found = communicators_.find(handle);
  return found == communicators_.end() ? -1 : found->second;
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count > 0) PMPI_Type_size_c(type, &size);
  return count * size;
}

}  // namespace onehop::recorder
