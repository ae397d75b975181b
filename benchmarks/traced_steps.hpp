#pragma once
/// What ranks do in some steps of a benchmark, for a timeline; apart from the timed ones, which
/// recording would slow down.

#include <onehop/trace.hpp>

#include "benchmarks/make.hpp"

namespace onehop::bench {

/// Collective. Runs `steps` of ours, and returns what this rank did in them.
std::shared_ptr<trace> record_steps(const context& ctx, const cell& what, std::uint64_t steps);

}  // namespace onehop::bench
