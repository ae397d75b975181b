#pragma once
/// In real time the ranks detect together that none of them can make progress.
///
/// While the first rank waits, it repeatedly asks all ranks for their standing. A rank answers only
/// if all its threads that may call MPI are waiting, have looked in vain since the question
/// arrived, and have left nothing to send. A rank that computes, sleeps or reads a file therefore
/// does not answer. Each rank counts its changes: a wait that begins or ends, or a message that
/// arrives. If two consecutive answers of every rank name the same change, all ranks were waiting
/// together when the second question was asked. If they had also received as many messages as they
/// had sent, none was in flight that could end a wait (Mattern, Distributed Computing 2 (1987)
/// 161).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpi/standing.hpp"
#include "mpi/wire.hpp"
#include "rma/waiter.hpp"

namespace onehop::mpi_abi {

class engine;

class deadlock_watch {
 public:
  using report = std::function<wait_report()>;

  /// A thread is waiting while its waiting_thread exists.
  class waiting_thread {
   public:
    explicit waiting_thread(deadlock_watch& watch) noexcept : watch_(watch) {}
    ~waiting_thread() {
      if (waits_) watch_.change();
    }
    waiting_thread(const waiting_thread&) = delete;
    waiting_thread& operator=(const waiting_thread&) = delete;

   private:
    friend deadlock_watch;
    deadlock_watch& watch_;
    bool waits_ = false;
    std::uint64_t round_ = 0;  ///< the last round in which the thread has looked in vain
  };

  /// In virtual time (`asks` is false) no rank is asked, since the machine itself knows when
  /// nothing is in flight.
  deadlock_watch(engine& messages, bool asks);

  /// Records that a message has arrived, or that a wait has begun or ended.
  void change() noexcept {
    ++changes_;
    begin_round();
  }
  /// Records that a thread has just looked in vain for what it waits for. Each iteration of a wait
  /// calls this.
  template <class Report>
  void look_in_vain(waiting_thread& mine, const Report& wait) {
    if (asks_ && count(mine) && asked_ != 0) answer_question(wait);
  }
  /// Does the same, and also asks the others on the first rank; each wait calls it from time to
  /// time. If no rank can make progress, returns one line that says what all ranks wait for.
  std::optional<std::string> look_around(waiting_thread& mine, const report& wait);
  /// Handles an incoming question or answer.
  void take(int from, const packet_header& header, std::span<const std::byte> payload);

 private:
  void begin_round() noexcept {
    ++round_;
    in_vain_ = 0;
  }
  /// Returns whether this is the thread's first look in the round.
  bool count(waiting_thread& mine) noexcept {
    // If a function called within a wait waits as well, only the inner wait counts.
    if (!std::exchange(mine.waits_, true)) change();
    if (std::exchange(mine.round_, round_) == round_) return false;
    ++in_vain_;
    return true;
  }
  bool every_thread_waits() const;
  void take_question(std::uint64_t question);
  void answer_question(const report& wait);
  void keep(int from, standing what);
  void ask();
  std::string describe() const;

  engine& messages_;
  bool asks_;
  std::uint64_t changes_ = 0;
  std::uint64_t round_ = 1;           ///< a new round begins with each change and each question
  int in_vain_ = 0;                   ///< threads that have looked in vain in this round
  std::uint64_t asked_ = 0;           ///< the question that this rank has still to answer, or 0
  std::uint64_t question_ = 0;        ///< the last question of the first rank
  std::vector<standing> last_, now_;  ///< the ranks' answers to the first rank
  int open_ = 0;                      ///< answers that the first rank still expects
};

}  // namespace onehop::mpi_abi
