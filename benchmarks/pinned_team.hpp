#pragma once
/// The threads of a pinned_team stay on their own cores while they are measured.

#include <vector>

#include "machine/thread_team.hpp"
#include "measure/pinning.hpp"

namespace onehop::bench {

class pinned_team {
 public:
  /// Thread k of a rank stays on the allowed core number first_core + k; the caller's thread does
  /// so only while a `stay` exists. With -1 the system places the threads.
  pinned_team(int threads, int first_core)
      : cores_(measure::allowed_cores()), first_(first_core), team_(threads) {
    if (first_ < 0) return;
    team_.run([&](int thread) {
      if (thread > 0) measure::pin_to_core(core(thread));
    });
  }
  pinned_team(const pinned_team&) = delete;
  pinned_team& operator=(const pinned_team&) = delete;

  thread_team& team() noexcept { return team_; }

  /// A `stay` keeps the caller on its core.
  class stay {
   public:
    explicit stay(const pinned_team& of) : of_(of) {
      if (of.first_ >= 0) measure::pin_to_core(of.core(0));
    }
    ~stay() {
      if (of_.first_ >= 0) measure::allow_cores(of_.cores_);
    }
    stay(const stay&) = delete;
    stay& operator=(const stay&) = delete;

   private:
    const pinned_team& of_;
  };

 private:
  int core(int thread) const {
    return cores_[static_cast<std::size_t>(first_ + thread) % cores_.size()];
  }

  std::vector<int> cores_;
  int first_;
  thread_team team_;
};

}  // namespace onehop::bench
