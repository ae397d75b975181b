#include "recorder/recording.hpp"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "recorder/unknown.hpp"

extern "C" {
[[gnu::weak]] int PMPI_Type_size_c(MPI_Datatype type, MPI_Count* size);
[[gnu::weak]] int PMPI_Get_library_version(char* words, int* length);
}

namespace onehop::recorder {
namespace {

constexpr std::size_t longest_wait = std::size_t{1} << 20;  ///< bytes that wait to be written

/// Nanoseconds before a call that leaves no line; less than that is no computing.
constexpr std::int64_t least_computing = 1000;

/// The number of calls under way: an MPI library may be made of its own functions.
thread_local int depth = 0;

/// Processor time is not that of others that share the core.
std::int64_t thread_time() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Returns what two looks at the clock are apart where nothing is computed in between.
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

std::string quoted(std::string_view words) {
  std::string all = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') all += '\\';
    if (static_cast<unsigned char>(c) >= ' ') all += c;
  }
  return all + '"';
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

/// A recording that cannot be written is no reason to end the program.
void complain(std::string_view what) {
  std::fprintf(stderr, "onehop: recorder: %.*s\n", static_cast<int>(what.size()), what.data());
}

}  // namespace

recording& here() noexcept {
  static recording& only = *new recording;
  return only;
}

call::call(const char* function, const void* site) noexcept
    : function_(function), site_(site), recorded_(depth++ == 0 && here().active()) {
  if (!recorded_) return;
  if (getpid() == gettid()) {
    computed_ = here().computed();
    here().computing().pass(site);
    return;
  }
  here().miss("calls of other threads");
  recorded_ = false;
}

call::~call() {
  --depth;
  if (recorded_) here().restart_clock(computed_);
}

line::line(const call& of, std::string_view kind) : line(kind) {
  here().charge();
  here().computing().note(of.site());
  const std::int64_t site = here().site(of.site());
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
    complain("nothing is recorded: ONEHOP_RECORDING names no folder");
  if (!times.empty() && !computing_.read(times + "/" + std::to_string(rank)))
    complain("cannot take computing from " + times + " with this MPI");
  if (!folder.empty()) open(folder, run, rank, ranks);
  communicators_[mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world)] = 0;
  communicators_[mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_self)] = 1;
  look_ = time_of_a_look();
  charge();
  restart_clock(0);
}

void recording::open(const std::string& folder, std::string_view run, int rank, int ranks) {
  mkdir(folder.c_str(), 0777);
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%06d", rank);
  name_ = folder + "/rank-" + number.data() + ".jsonl";
  file_ = std::fopen(name_.c_str(), "we");
  if (file_ == nullptr) return complain("cannot write " + name_ + ": " + std::strerror(errno));
  waiting_ = "{\"schema\":\"onehop.recording/1\",\"run\":" + quoted(run) +
             ",\"rank\":" + std::to_string(rank) + ",\"ranks\":" + std::to_string(ranks) +
             ",\"mpi\":" + quoted(library_name()) + "}\n";
}

void recording::end(int rank) {
  if (computing_.unknown() > 0)
    complain("rank " + std::to_string(rank) + ": " + std::to_string(computing_.unknown()) +
             " calls follow others than in the recording, and no time passes before them");
  if (file_ == nullptr) return;
  std::string last = "{\"lines\":" + std::to_string(events_) + ",\"missed\":{", told;
  std::map<std::string, std::uint64_t> in_order(missed_.begin(), missed_.end());
  for (const unknown_function& each : unknown_functions())
    if (*each.calls > 0) in_order[each.name] += *each.calls;
  for (const auto& [function, calls] : in_order) {
    const bool first = told.empty();
    last += (first ? "" : ",") + quoted(function) + ':' + std::to_string(calls);
    told += (first ? "" : ", ") + function + " (" + std::to_string(calls) + ')';
  }
  waiting_ += last + "}}\n";
  flush();
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  if (!told.empty())
    complain("rank " + std::to_string(rank) +
             ": not recorded, so that no replay can be made: " + told);
}

void recording::write(std::string_view text) {
  if (file_ == nullptr) return;
  waiting_ += text;
  ++events_;
  if (waiting_.size() > longest_wait) flush();
}

void recording::flush() {
  if (file_ == nullptr) return;
  const bool written = std::fwrite(waiting_.data(), 1, waiting_.size(), file_) == waiting_.size() &&
                       std::fflush(file_) == 0;
  waiting_.clear();
  if (written) return;
  complain("cannot write " + name_ + ": " + std::strerror(errno));
  std::fclose(file_);
  file_ = nullptr;
}

std::int64_t recording::site(const void* address) {
  const auto [found, fresh] = sites_.emplace(address, static_cast<std::int64_t>(sites_.size()));
  if (fresh)
    write("[\"site\"," + std::to_string(found->second) + ',' + quoted(place_of(address)) + "]\n");
  return found->second;
}

// A program that looks for a message again and again does not compute meanwhile.
void recording::restart_clock(std::int64_t computed) noexcept {
  if (!charged_ && computed - carried_ >= least_computing) carried_ = computed;
  charged_ = false;
  since_ = thread_time();
}

std::int64_t recording::computed() const noexcept {
  return carried_ + std::max(thread_time() - since_ - look_, std::int64_t{0});
}

std::int64_t recording::add_request(MPI_Request handle, bool persistent, bool any) {
  requests_[handle] = {requests_made_, persistent, any};
  return requests_made_++;
}

const known_request* recording::find(MPI_Request handle) const {
  const auto found = requests_.find(handle);
  return found == requests_.end() ? nullptr : &found->second;
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
