#pragma once
#include <onehop/context.hpp>

namespace onehop {

/// If the transport has a choice of channels that is not autotuned yet, measures in about 0.1 ms
/// how long a round takes and tells the transport. Otherwise does nothing. Collective.
void autotune_channels(const context& ctx);

}  // namespace onehop
