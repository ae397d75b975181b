#include "mpi/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"

namespace onehop::mpi_abi {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10, guard_bytes = 4096 * 16;

/// Unused stacks are kept, since mapping one takes longer than a short collective.
std::vector<std::byte*>& spare_stacks() {
  static auto& spare = *new std::vector<std::byte*>;
  return spare;
}

std::byte* take_stack() {
  std::vector<std::byte*>& spare = spare_stacks();
  if (!spare.empty()) {
    std::byte* const found = spare.back();
    spare.pop_back();
    return found;
  }
  void* const memory = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // The guard pages below a stack are touched only if it overflows.
  if (memory == MAP_FAILED || mprotect(memory, guard_bytes, PROT_NONE) != 0)
    throw error(text("there is no memory for the stack of a collective: ", std::strerror(errno)));
  return static_cast<std::byte*>(memory);
}

fiber*& running_fiber() noexcept {
  static fiber* one = nullptr;
  return one;
}

/// The C++ runtime counts the exceptions in flight per thread; here each stack has its own count.
struct exception_state {
  void* caught;
  unsigned uncaught;
};
/// A fiber may be resumed by another thread than before, but the compiler assumes that
/// __cxa_get_globals returns the same value throughout a function. So this function is never
/// inlined.
[[gnu::noinline]] exception_state& exceptions() noexcept {
  asm volatile("");
  return *reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
}

void switch_stacks(ucontext_t& from, const ucontext_t& to) {
  const exception_state kept = std::exchange(exceptions(), {});
  swapcontext(&from, &to);
  exceptions() = kept;
}

}  // namespace

fiber::fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_ + guard_bytes;
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  // makecontext passes only ints.
  const auto self = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this));
  makecontext(&inside_, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
}

fiber::~fiber() {
  if (ended_)
    spare_stacks().push_back(stack_);
  else
    munmap(stack_, guard_bytes + stack_bytes);
}

void fiber::enter(unsigned high, unsigned low) {
  auto* const self = reinterpret_cast<fiber*>(
      static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | std::uint64_t{low}));
  self->body_();
  self->ended_ = true;
  self->leave();
}

void fiber::leave() { switch_stacks(inside_, outside_); }

void fiber::resume() {
  static const condition never = [] { return false; };
  done_ = &never;
  resumed_by_ = std::exchange(running_fiber(), this);
  switch_stacks(outside_, inside_);
  while (outside_call_ != nullptr) {
    running_fiber() = resumed_by_;
    (*std::exchange(outside_call_, nullptr))();
    running_fiber() = this;
    switch_stacks(outside_, inside_);
  }
  running_fiber() = resumed_by_;
}

std::vector<missing_piece> fiber::missing() const {
  return missing_ == nullptr ? std::vector<missing_piece>() : (*missing_)();
}

fiber* fiber::current() noexcept { return running_fiber(); }

void fiber::wait(const condition& done, const report& missing) {
  if (done()) return;
  done_ = &done;
  missing_ = &missing;
  leave();
  missing_ = nullptr;
}

void fiber::call_outside(const std::function<void()>& function) {
  fiber* const here = current();
  if (here == nullptr) {
    function();
    return;
  }
  here->outside_call_ = &function;
  here->leave();
}

}  // namespace onehop::mpi_abi
