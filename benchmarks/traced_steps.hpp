#pragma once
/// Some steps of a benchmark are recorded for a timeline, apart from the timed ones, which
/// recording would slow down.

#include <onehop/trace.hpp>

#include "benchmarks/make.hpp"

namespace onehop::bench {

/// Runs `steps` of our steps, and returns what this rank did in them. Collective.
std::shared_ptr<trace> record_steps(const context& ctx, const cell& what, std::uint64_t steps);

}  // namespace onehop::bench
