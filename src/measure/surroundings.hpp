#pragma once
/// The surroundings of a measurement can spoil it.

#include <string>
#include <vector>

namespace onehop::measure {

struct surroundings {
  int ranks = 1;
  int cores = 1;
  bool pinned = false;
  bool optimized = true;   ///< true if this library was compiled with optimisation
  bool sanitized = false;  ///< true if this library was compiled with a sanitizer
  double load = 0;         ///< processes that ran or were ready to run in the last minute
  std::string governor;    ///< governor of the clock rate; empty if the kernel does not tell
};

/// Asks the kernel about the surroundings. Never throws if a fact cannot be determined.
surroundings inspect_surroundings(int ranks, bool pinned);

/// Returns one line per condition that makes the numbers doubtful; empty in quiet surroundings.
std::vector<std::string> warnings(const surroundings& where);

}  // namespace onehop::measure
