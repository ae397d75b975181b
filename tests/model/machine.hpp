#pragma once
/// The machine runs small programs in every order that the C++ memory model allows, as far as it
/// concerns release, acquire and relaxed accesses to atomics that have one writer each, and plain
/// bytes; and with stores that bypass the caches, which no release orders.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace model {

/// An operation is what a thread does to memory that others see.
struct operation {
  enum class kind {
    write,   ///< plain bytes of a place get a value
    stream,  ///< plain bytes get a value by stores that bypass the caches: done at the next fence,
             ///< or any time before
    fence,   ///< the streaming stores of this thread are done
    read,    ///< plain bytes of a place must have a value
    load,    ///< an atomic gives one of the values that it may have
    store,   ///< an atomic gets a value
    begin,   ///< this thread enters exchange `value`
    check,   ///< `value` is at most `lag` ahead of the exchange that thread `place` is in
  };
  kind what;
  std::size_t place = 0;
  std::uint64_t value = 0;
  bool ordered = true;  ///< a store releases and a load acquires; otherwise both are relaxed
  std::uint64_t lag = 0;
};

/// A program is what one thread does, in steps. A step is done as a whole or tried again, and its
/// operations come one by one between those of other threads; for this it is begun anew from a copy
/// of the program, and gives the same operations as long as loads give the same values.
class program {
 public:
  virtual ~program() = default;
  virtual std::string name() const = 0;
  virtual std::size_t steps() const = 0;
  virtual std::unique_ptr<program> copy() const = 0;
  /// Does a step; returns false where what it waits for is not there, so that it is tried again.
  virtual bool step(std::size_t number) = 0;
  /// Returns what distinguishes copies of the program that have come to the same step.
  virtual std::uint64_t fingerprint(std::size_t step) const = 0;
};

/// Called by a step: does the operation and returns what a load has found.
std::uint64_t perform(const operation& now);
/// Called by a step that has found something wrong.
[[noreturn]] void fault(const std::string& what);

struct system_model {
  std::vector<std::shared_ptr<const program>> threads;
  std::size_t atomics = 0, plains = 0;
};

struct verdict {
  std::uint64_t states = 0;
  std::string fault;  ///< fault that was found, empty when there is none
};

/// Visits every reachable state. A fault is a data race, a wrong value, a state in which nobody can
/// go on, or a lag too large; the verdict says which and where the threads were.
verdict explore(const system_model& system);

}  // namespace model
