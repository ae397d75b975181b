#pragma once
/// A hop_choice says how a hop does its work, as far as a measurement may choose: no bit depends on
/// it.

#include <array>
#include <cstddef>
#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "lattice/field_precision.hpp"
#include "lattice/lane_layout.hpp"

namespace onehop {

struct hop_choice {
  /// The answer by_size follows from the bytes that a hop moves.
  enum class answer { by_size, no, yes };

  /// The vectors are worked on in these pieces of y, z and t, one after the other, each in the
  /// order of their numbers; by size where there are none.
  std::optional<std::array<int, 3>> pieces;
  answer past_caches = answer::by_size;  ///< results are written by stores that bypass the caches
  /// What is read is prefetched as if it came from memory: further ahead, or more of it.
  answer vector_ahead = answer::by_size;
  /// Hops to both parities read a link from one place, so that caches need to hold it once: hops to
  /// odd sites read links in another order than they are stored in. This is only for one right-hand
  /// side and links of 18 reals, in double or single precision.
  answer links_once = answer::by_size;

  /// Reads words as "order:1x2x1,write:past,ahead:vector,links:once": any of order:YxZxT,
  /// write:past or write:kept, ahead:vector or ahead:direction, links:once or links:twice; choices
  /// that are not named are by size. Throws usage_error.
  static hop_choice parse(std::string_view words);
};

/// Returns a name as "wilson/single/18/24x24x24x24/1x1x1x1/2": operator, precision, reals of a
/// link, lattice, grid of ranks, threads.
std::string hop_name(dslash kind, field_precision precision, int recon, const geometry& geometry,
                     int threads);

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

/// Decides how a hop of this footprint does its work: as a measurement has found it best, else by
/// one rule of sizes.
hop_plan plan_hop(const hop_choice& choice, const hop_footprint& sizes);

/// Returns the pieces of y, z and t in which hops work on their vectors (vector_order), of
/// `vector_bytes` bytes each.
std::array<int, 3> plan_pieces(const hop_choice& choice, const hop_footprint& sizes,
                               const lane_layout& layout, std::size_t vector_bytes);

}  // namespace onehop
