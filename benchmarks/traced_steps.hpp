#pragma once
/// Some steps of a benchmark are recorded for a timeline. They are separate from the timed ones,
/// because recording would slow those down.

#include <onehop/trace.hpp>

#include "benchmarks/make.hpp"

namespace onehop::bench {

/// Runs `steps` of our steps, and returns the activities of this rank in them. Collective.
std::shared_ptr<trace> record_steps(const context& ctx, const cell& what, std::uint64_t steps);

}  // namespace onehop::bench
