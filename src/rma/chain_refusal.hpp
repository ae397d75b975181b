#pragma once
/// A chain that is not consistent is refused with the same message on all ranks, although each rank
/// sees only its own part of it.

#include <cstdint>
#include <onehop/error.hpp>
#include <string>

namespace onehop {

struct chain_description;

/// A chain_refusal says what is inconsistent. Its order tells how early a rank that reads all lists
/// would find this. Each rank sees only its part, so the refusal of the lowest order counts.
struct chain_refusal final : chain_error {
  chain_refusal(const std::string& message, std::uint32_t rank_among_refusals)
      : chain_error(message), order(rank_among_refusals) {}
  std::uint32_t order;
};

/// Refusals are ordered by kind as listed here, and refusals of one kind by rank.
enum class refusal : std::uint32_t { put, arrival, bounds, runs, overlap, turns, by_another };

/// Throws a refusal. If this rank is `teller`, which has to report it, it counts in the order of
/// its kind; otherwise it comes after all that other ranks report themselves.
[[noreturn]] void refuse(const chain_description& chain, refusal kind, int teller, int rank,
                         const std::string& message);

}  // namespace onehop
