#pragma once
/// In real time the ranks find out together that none of them can go on.
///
/// While the first rank waits, it asks all ranks again and again how they stand. A rank answers
/// only where each of its threads that may call MPI waits, has looked in vain since the question
/// came, and has left nothing to send. So a rank that computes, sleeps or reads a file gives no
/// answer. Each wait that begins or ends, and each message that comes, is a change, which ranks
/// count. Where two answers of each rank in a row name the same change, all ranks waited together
/// when the second question was asked; and where they had taken as many messages as they had sent,
/// none was under way that could end a wait (Mattern, Distributed Computing 2 (1987) 161).

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

  /// A waiting_thread is in a wait as long as it lives.
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
    std::uint64_t round_ = 0;  ///< the last one in which the thread has looked in vain
  };

  /// In virtual time the machine itself knows that nothing is under way, and nobody is asked.
  deadlock_watch(engine& messages, bool asks);

  /// Notes that a message has come, or that a wait has begun or ended.
  void change() noexcept {
    ++changes_;
    begin_round();
  }
  /// Notes that a thread has just looked in vain for what it waits for. This is called at every
  /// turn of a wait.
  template <class Report>
  void look_in_vain(waiting_thread& mine, const Report& wait) {
    if (asks_ && count(mine) && asked_ != 0) answer_question(wait);
  }
  /// Does the same, from time to time in each wait; the first rank asks the others. Returns what
  /// all ranks wait for, in one line, where none can go on.
  std::optional<std::string> look_around(waiting_thread& mine, const report& wait);
  /// Takes a question or an answer.
  void take(int from, const packet_header& header, std::span<const std::byte> payload);

 private:
  void begin_round() noexcept {
    ++round_;
    in_vain_ = 0;
  }
  /// Says whether this is the thread's first look of the round.
  bool count(waiting_thread& mine) noexcept {
    // The wait around one that a function of the program has begun does not count beside it.
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
  std::uint64_t round_ = 1;           ///< begins anew with each change and each question
  int in_vain_ = 0;                   ///< threads that have looked in vain in this round
  std::uint64_t asked_ = 0;           ///< the question that is not answered yet, or 0
  std::uint64_t question_ = 0;        ///< the last one that the first rank has asked
  std::vector<standing> last_, now_;  ///< what ranks have answered the first one
  int open_ = 0;                      ///< answers that the first rank has not got
};

}  // namespace onehop::mpi_abi
