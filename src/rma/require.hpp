#pragma once
/// Collectives use these functions to check their arguments and to loop over the other ranks.

#include <cstddef>
#include <onehop/context.hpp>

namespace onehop {

/// Returns the index of a rank in a list that has one entry per rank.
constexpr std::size_t at_rank(int rank) { return static_cast<std::size_t>(rank); }

/// Throws usage_error for a rank outside the job: "<what> rank 2: give one from 0 to 1".
void require_root(const context& ctx, int root, const char* what);
/// Throws usage_error unless `all` bytes have room for `mine` bytes of every rank.
void require_space(const context& ctx, const char* what, std::size_t mine, std::size_t all);

template <class Visit>
void for_each_other(const context& ctx, Visit&& visit) {
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (rank != ctx.rank()) visit(rank);
}

}  // namespace onehop
