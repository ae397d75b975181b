#pragma once
/// The surroundings of a measurement may spoil it.

#include <string>
#include <vector>

namespace onehop::measure {

struct surroundings {
  int ranks = 1;
  int cores = 1;
  bool pinned = false;
  bool optimized = true;   ///< true where this library was compiled with optimisation
  bool sanitized = false;  ///< true where this library was compiled with a sanitizer
  double load = 0;         ///< processes that ran or wanted to run in the last minute
  std::string governor;    ///< governor of the clock rate; empty where the kernel does not say
};

/// Asks the kernel about the surroundings. Never throws for a fact that cannot be found out.
surroundings inspect_surroundings(int ranks, bool pinned);

/// Returns one line for each thing that makes the numbers doubtful; empty in quiet surroundings.
std::vector<std::string> warnings(const surroundings& where);

}  // namespace onehop::measure
