#pragma once
/// A fiber is a function with its own stack, which is suspended while it waits. Nonblocking
/// collectives are the blocking ones, run on fibers.

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "rma/waiter.hpp"

namespace onehop::mpi_abi {

class fiber {
 public:
  using condition = std::function<bool()>;
  using report = std::function<std::vector<missing_piece>()>;

  /// The body does not run before resume. No exception may leave it.
  explicit fiber(std::function<void()> body);
  /// If the body has not ended, objects on its stack are not destroyed.
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Runs the body until it ends, or waits for a condition that does not hold.
  void resume();
  bool ended() const noexcept { return ended_; }
  /// Returns whether resume would advance the body. Must not be called while the body runs.
  bool ready() const { return done_ == nullptr || (*done_)(); }
  std::vector<missing_piece> missing() const;

  /// Returns the fiber whose body calls this, or null outside of fibers.
  static fiber* current() noexcept;
  /// Suspends the body until `done()`. Only the body may call this.
  void wait(const condition& done, const report& missing);
  /// Calls a function of the caller, which may need more stack than a fiber has. It runs on the
  /// stack that called resume, or outside of fibers on the current stack.
  static void call_outside(const std::function<void()>& function);

 private:
  static void enter(unsigned high, unsigned low);
  void leave();

  std::function<void()> body_;
  std::byte* stack_;
  ucontext_t inside_, outside_;
  fiber* resumed_by_ = nullptr;
  const condition* done_ = nullptr;
  const report* missing_ = nullptr;
  const std::function<void()>* outside_call_ = nullptr;
  bool ended_ = false;
};

}  // namespace onehop::mpi_abi
