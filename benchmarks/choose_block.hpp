#pragma once
/// Chooses the fastest of several ways.

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace onehop::bench {

/// The seconds that each choice took, where choices are timed in turns so that slow changes of the
/// machine affect all alike.
using block_times = std::map<int, std::vector<double>>;
block_times time_blocks(std::span<const int> choices, int rounds,
                        const std::function<double(int threads)>& seconds);

/// Returns the choice of the least median; `standard`, which is among them, unless the other is
/// faster by more than 3%.
int fastest_block(const block_times& times, int standard);

}  // namespace onehop::bench
