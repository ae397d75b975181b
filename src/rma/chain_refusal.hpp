#pragma once
/// A chain that does not fit is refused by the same message on all ranks, although each sees but
/// its own part of it.

#include <cstdint>
#include <onehop/error.hpp>
#include <string>

namespace onehop {

struct chain_description;

/// A chain_refusal says what does not fit, and how early all lists of a chain, read in order, would
/// have shown it: a rank sees but its own part, and of the refusals of all the first counts.
struct chain_refusal final : chain_error {
  chain_refusal(const std::string& message, std::uint32_t rank_among_refusals)
      : chain_error(message), order(rank_among_refusals) {}
  std::uint32_t order;
};

/// Refusals come in this order, and of one kind by rank.
enum class refusal : std::uint32_t { put, arrival, bounds, runs, overlap, turns, by_another };

/// Throws a refusal that counts before later ones where this rank is the one that tells it, and
/// else behind all that other ranks tell.
[[noreturn]] void refuse(const chain_description& chain, refusal kind, int teller, int rank,
                         const std::string& message);

}  // namespace onehop
