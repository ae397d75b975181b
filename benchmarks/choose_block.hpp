#pragma once
/// Which of several ways is fastest.

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace onehop::bench {

/// Seconds that each choice took, taken in turns so that what changes slowly meets all alike.
using block_times = std::map<int, std::vector<double>>;
block_times time_blocks(std::span<const int> choices, int rounds,
                        const std::function<double(int threads)>& seconds);

/// The least median; `standard`, which is among them, unless that is faster by more than 3%.
int fastest_block(const block_times& times, int standard);

}  // namespace onehop::bench
