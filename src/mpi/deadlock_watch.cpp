#include "mpi/deadlock_watch.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "mpi/engine.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// Returns 0 if the system does not tell the number of threads.
int threads_of_process() {
  std::error_code failed;
  const std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  if (failed) return 0;
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

/// Lists the first few items and the number of the others, so that the line stays readable.
template <class Words>
std::string list(std::size_t all, std::size_t most, const char* more, Words&& words) {
  std::string line;
  for (std::size_t i = 0; i < std::min(all, most); ++i) line += (i == 0 ? "" : "; ") + words(i);
  return all <= most ? line : line + text("; and ", all - most, " more", more);
}

std::string words_of(const wait_report& wait) {
  const std::string missing =
      list(wait.missing.size(), 2, "", [&](std::size_t i) { return wait.missing[i].what; });
  return wait.activity + (missing.empty() ? "" : ": " + missing);
}

}  // namespace

deadlock_watch::deadlock_watch(engine& messages, bool asks) : messages_(messages), asks_(asks) {}

/// If only one thread may be in MPI at a time, no other thread can end its wait.
bool deadlock_watch::every_thread_waits() const {
  return state().thread_level != thread_multiple || in_vain_ == threads_of_process();
}

std::optional<std::string> deadlock_watch::look_around(waiting_thread& mine, const report& wait) {
  if (!asks_) return std::nullopt;
  count(mine);
  if (asked_ != 0) answer_question(wait);
  if (messages_.job().rank() != 0 || open_ > 0) return std::nullopt;
  if (none_goes_on(last_, now_)) return describe();
  ask();
  return std::nullopt;
}

void deadlock_watch::answer_question(const report& wait) {
  if (messages_.has_to_send() || !every_thread_waits()) return;
  standing mine{changes_, messages_.packets().sent(), messages_.packets().received(),
                words_of(wait())};
  if (messages_.job().rank() == 0) {
    asked_ = 0;
    keep(0, std::move(mine));
    return;
  }
  mine.wait.resize(std::min(mine.wait.size(), messages_.most_payload()));
  messages_.post(0,
                 {.what = packet_header::standing,
                  .bytes = mine.changes,
                  .sender = mine.sent,
                  .receiver = mine.received,
                  .place = std::exchange(asked_, 0)},
                 std::as_bytes(std::span(mine.wait)));
}

void deadlock_watch::take(int from, const packet_header& header,
                          std::span<const std::byte> payload) {
  if (from == 0) {
    take_question(header.place);
    return;
  }
  standing theirs{header.bytes, header.sender, header.receiver, std::string(payload.size(), ' ')};
  if (!payload.empty()) std::memcpy(theirs.wait.data(), payload.data(), payload.size());
  keep(from, std::move(theirs));
}

// After a question each thread must look once more, whatever it has seen before.
void deadlock_watch::take_question(std::uint64_t question) {
  asked_ = question;
  begin_round();
}

void deadlock_watch::keep(int from, standing what) {
  now_[static_cast<std::size_t>(from)] = std::move(what);
  --open_;
}

void deadlock_watch::ask() {
  const int ranks = messages_.job().size();
  last_ = std::exchange(now_, std::vector<standing>(static_cast<std::size_t>(ranks)));
  open_ = ranks;
  take_question(++question_);
  for (int rank = 1; rank < ranks; ++rank)
    messages_.post(rank, {.what = packet_header::standing, .place = question_}, {});
}

std::string deadlock_watch::describe() const {
  return "no rank can go on: " + list(now_.size(), 8, " ranks wait", [&](std::size_t rank) {
           return text("rank ", rank, " waits ", now_[rank].wait);
         });
}

}  // namespace onehop::mpi_abi
