#pragma once
/// Here it is decided how a hop does its work: as a measurement has found it best (hop_choice),
/// else by one rule of sizes. No bit depends on it.

#include "dirac/hop_choice.hpp"
#include "lattice/field_precision.hpp"
#include "lattice/lane_layout.hpp"

#include <array>
#include <cstddef>

namespace onehop {

/// A hop_footprint says what a hop needs of the caches. The numbers are those of one rank.
struct hop_footprint {
  std::size_t links;      ///< bytes of links that a hop reads
  std::size_t field;      ///< bytes of a field of one parity, with all right-hand sides
  std::size_t threads;    ///< threads that share the links and fields
  std::size_t own_cache;  ///< bytes of the cache that each core has to itself
  bool can_share_links;   ///< hops to both parities are able to read a link from one place
};

struct hop_plan {
  bool past_caches;   ///< results are written by stores that bypass the caches
  bool from_memory;   ///< what is read is prefetched as if it came from memory
  bool links_once;    ///< hops to both parities read a link from one place
  bool in_own_cache;  ///< hops there and back find everything in the cores' own caches
};

/// Returns whether hops can read a link from one place, there and back.
bool can_read_links_once(field_precision precision, int recon) noexcept;

/// Decides how a hop of this footprint does its work.
hop_plan plan_hop(const hop_choice& choice, const hop_footprint& sizes);

/// Returns the pieces of y, z and t in which hops work on their vectors (vector_order), of
/// `vector_bytes` bytes each.
std::array<int, 3> plan_pieces(const hop_choice& choice, const hop_footprint& sizes,
                               const lane_layout& layout, std::size_t vector_bytes);

}  // namespace onehop
