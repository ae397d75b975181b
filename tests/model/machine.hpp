#pragma once
/// The model runs small programs in every order that the C++ memory model allows, as far as it
/// concerns release, acquire and relaxed accesses to atomics that have one writer each, and plain
/// bytes; and with stores that bypass the caches, which no release orders.

#include <cstdint>
#include <string>
#include <vector>

namespace model {

/// An instruction is one step of a thread. Programs are straight: each waits where it must and
/// never branches.
struct instruction {
  enum class kind {
    write,   ///< plain bytes of a place get a value
    stream,  ///< plain bytes get a value by stores that bypass the caches: done at the next fence,
             ///< or any time before
    fence,   ///< the streaming stores of this thread are done
    read,    ///< plain bytes of a place must have a value
    store,   ///< an atomic gets a value
    await,   ///< loads an atomic until it has this value (or more)
    begin,   ///< this thread enters exchange `value`
    check,   ///< `value` is at most `lag` ahead of the exchange that thread `place` is in
  };
  kind what;
  int place = 0;
  int value = 0;
  bool ordered = true;  ///< store releases and await acquires; otherwise both are relaxed
  bool exact = false;   ///< await needs this very value
  int lag = 0;
};

struct thread_program {
  std::string name;
  std::vector<instruction> code;
};

struct system_model {
  std::vector<thread_program> threads;
  int atomics = 0, plains = 0;
};

struct verdict {
  std::uint64_t states = 0;
  std::string fault;  ///< fault that was found, empty when there is none
};

/// Visits every reachable state. A fault is a data race, a wrong value, a state in which nobody can
/// go on, or a lag too large; the verdict says which and where the threads were.
verdict explore(const system_model& system);

}  // namespace model
