#pragma once
/// The ranks and options of a stream are checked before anything is allocated.

#include <onehop/context.hpp>
#include <onehop/stream.hpp>
#include <span>

namespace onehop {

/// Throws the same usage_error on all ranks if these ranks and options make no valid stream, or
/// differ between ranks. Collective.
void check_stream(const context& ctx, std::span<const int> producers,
                  std::span<const int> consumers, const stream_options& how);

}  // namespace onehop
