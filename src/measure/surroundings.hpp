#pragma once
/// What around a measurement may spoil it.

#include <string>
#include <vector>

namespace onehop::measure {

struct surroundings {
  int ranks = 1;
  int cores = 1;
  bool pinned = false;
  bool optimized = true;   ///< this library was compiled with optimisation
  bool sanitized = false;  ///< or with a sanitizer
  double load = 0;         ///< processes that ran or wanted to in the last minute
  std::string governor;    ///< of the clock rate; empty where the kernel does not say
};

/// Asks the kernel. Never throws for a fact that cannot be had.
surroundings inspect_surroundings(int ranks, bool pinned);

/// One line for each thing that makes the numbers doubtful; empty in quiet surroundings.
std::vector<std::string> warnings(const surroundings& where);

}  // namespace onehop::measure
