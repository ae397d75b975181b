#include "transport/mpi/notices.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/ending.hpp"
#include "transport/mpi/requests.hpp"
#include "transport/mpi/tags.hpp"

namespace onehop::mpi {
namespace {

using namespace std::chrono_literals;
// This is long enough for ranks that fail for the same reason to find each other, and short enough
// to go unnoticed.
constexpr auto patience = 500ms;
constexpr auto head_start = 1s;

void sleep_for(std::chrono::nanoseconds time) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec request{seconds.count(), static_cast<long>((time - seconds).count())};
  nanosleep(&request, nullptr);
}

}  // namespace

notices::notices(const job& where, notices* whole)
    : job_(where),
      whole_(whole),
      sends_(static_cast<std::size_t>(where.size), MPI_REQUEST_NULL),
      leaving_(sends_.size()),
      left_(sends_.size()),
      ended_(sends_.size()) {
  check(MPI_Recv_init(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE, tags::notice,
                      job_.comm, &request_),
        "MPI_Recv_init");
  check(MPI_Start(&request_), "MPI_Start");
}

notices::~notices() { give_back(); }

void notices::give_back() noexcept {
  if (mpi_is_gone()) return;
  try {
    if (!told_ && !has_failed()) tell(kind::leaves, {});
    finish_sends(sends_);
  } catch (const error&) {
    job_.state->broken = true;
  }
  if (withdraw(request_)) ++*job_.farewells;
}

bool notices::take_one() {
  int came = 0;
  MPI_Status status;
  check(MPI_Test(&request_, &came, &status), "MPI_Test");
  if (came == 0) return false;
  note(incoming_, status.MPI_SOURCE);
  check(MPI_Start(&request_), "MPI_Start");
  return true;
}

void notices::note(const notice& came, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  (came.what == kind::leaves ? leaving_ : ended_)[index] = 1;
  if (came.what == kind::leaves) ++*job_.farewells;
  if (came.what != kind::gives_up || (first_failed_ >= 0 && first_failed_ < rank)) return;
  first_failed_ = rank;
  // A rank that has heard one reason keeps it.
  if (failure_.empty()) failure_ = text("rank ", rank, " failed: ", came.reason.data());
}

void notices::poll() {
  if (whole_ != nullptr) {
    whole_->poll();
    take_one();
    return;
  }
  require_mpi();
  if (failure_.empty()) take_one();
  if (!failure_.empty()) {
    job_.state->broken = true;
    throw peer_error(failure_);
  }
}

void notices::probe() {
  if (whole_ != nullptr)
    whole_->probe();
  else
    check_processes();
  accept_departures();
}

void notices::check_processes() {
  auto dead = job_.neighbours->next_ended(-1);
  if (!dead) return;
  // A rank's last words arrive before its end is seen.
  while (failure_.empty() && take_one()) {
  }
  poll();
  while (dead && leaving_[static_cast<std::size_t>(dead->rank)] != 0)
    dead = job_.neighbours->next_ended(dead->rank);
  if (!dead) return;
  // A dead rank will not answer any more.
  ended_[static_cast<std::size_t>(dead->rank)] = 1;
  job_.state->broken = true;
  throw peer_error(text("rank ", dead->rank, " failed: its process ", dead->number,
                        " ended without leaving the job"));
}

void notices::accept_departures() { left_ = leaving_; }

void notices::tell(kind what, std::string_view reason) {
  outgoing_.what = what;
  const std::size_t length = std::min(reason.size(), outgoing_.reason.size() - 1);
  std::copy_n(reason.data(), length, outgoing_.reason.data());
  outgoing_.reason[length] = '\0';
  std::replace(outgoing_.reason.data(), outgoing_.reason.data() + length, '\n', ' ');
  for (int rank = 0; rank < job_.size; ++rank)
    if (rank != job_.rank)
      check(MPI_Isend(&outgoing_, sizeof outgoing_, MPI_BYTE, rank, tags::notice, job_.comm,
                      &sends_[static_cast<std::size_t>(rank)]),
            "MPI_Isend");
}

bool notices::all_ended() const {
  return std::ranges::all_of(ended_, [](char one) { return one != 0; });
}

void notices::hear_the_others() {
  const auto end = std::chrono::steady_clock::now() + patience;
  int sent = 0;
  while ((sent == 0 || !all_ended()) && std::chrono::steady_clock::now() < end) {
    while (take_one()) {
    }
    check(MPI_Testall(job_.size, sends_.data(), &sent, MPI_STATUSES_IGNORE), "MPI_Testall");
    sleep_for(50us);
  }
}

void notices::abandon(std::string_view reason) noexcept {
  if (whole_ != nullptr) return whole_->abandon(reason);
  if (told_) return;
  told_ = true;
  job_.state->broken = true;
  own_ = failure_.empty();
  ended_[static_cast<std::size_t>(job_.rank)] = 1;
  if (own_) first_failed_ = job_.rank;
  try {
    tell(own_ ? kind::gives_up : kind::follows, reason);
    if (own_) failure_ = text("rank ", job_.rank, " failed: ", outgoing_.reason.data());
    hear_the_others();
    withdraw(request_);
    if (all_ended()) {
      job_.state->failed_together = true;
      return;
    }
    // The first rank that ends makes the launcher end all ranks, so it must be the one that tells
    // the user.
    if (!failed_first()) sleep_for(head_start);
  } catch (const std::exception&) {
    // If a rank cannot be told, the launcher ends it when this rank ends.
  }
}

}  // namespace onehop::mpi
