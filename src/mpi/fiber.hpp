#pragma once
/// A fiber is a function with a stack of its own, which is left while it waits. Collectives that do
/// not block are those that block, on fibers.

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

  /// Nothing runs before resume. No exception may leave the body.
  explicit fiber(std::function<void()> body);
  /// What lies on the stack of a body that has not ended is not destroyed.
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Runs the body until it waits for something that is not there, or ends.
  void resume();
  bool ended() const noexcept { return ended_; }
  /// Returns whether resume would go on; not while the body runs.
  bool ready() const { return done_ == nullptr || (*done_)(); }
  std::vector<missing_piece> missing() const;

  /// Returns the fiber whose body calls this, and null outside of fibers.
  static fiber* current() noexcept;
  /// Leaves the body until `done()`; called by the body.
  void wait(const condition& done, const report& missing);
  /// Calls a function of the caller's, which may need more stack than a fiber has, on the stack of
  /// the one who has called resume; outside of fibers on the only stack.
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
