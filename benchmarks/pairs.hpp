#pragma once
/// Ranks 0 and 1, 2 and 3, ... are pairs; a single rank is its own partner.

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "benchmarks/make.hpp"

namespace onehop::bench {

inline int partner(const context& ctx) {
  if (ctx.size() == 1) return 0;
  if (ctx.size() % 2 != 0)
    throw usage_error(text("this benchmark works in pairs of ranks, the job has ", ctx.size(),
                           ": give an even number"));
  return ctx.rank() ^ 1;
}
inline bool is_first(const context& ctx) { return ctx.rank() % 2 == 0; }

/// Returns the messages of one start in the bandwidth benchmarks: as many as in the OSU benchmarks
/// (OMB), fewer for long messages.
inline std::size_t messages_of(const cell& what) {
  if (what.messages != 0) return what.messages;
  return std::clamp<std::size_t>((std::size_t{16} << 20) / what.bytes(), 1, 64);
}

}  // namespace onehop::bench
