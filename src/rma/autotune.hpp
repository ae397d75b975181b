#pragma once
#include <onehop/context.hpp>

namespace onehop {

/// Measures how long a round takes and tells the transport, in about 0.1 ms, where the transport
/// has a choice of channels that has not been autotuned yet. Elsewhere it does nothing. Collective.
void autotune_channels(const context& ctx);

}  // namespace onehop
