#pragma once
/// A hop_choice says how a hop does its work, as far as measurements may decide it; no choice
/// changes a bit of the result.

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
  /// The answer by_size is derived from the bytes that a hop moves.
  enum class answer { by_size, no, yes };

  /// The vectors are processed in these pieces of y, z and t, one after another, each in index
  /// order; if not given, the size decides.
  std::optional<std::array<int, 3>> pieces;
  answer past_caches = answer::by_size;  ///< results are written by stores that bypass the caches
  /// Data to be read are prefetched as if they came from memory: further ahead, or more of them.
  answer vector_ahead = answer::by_size;
  /// Hops to both parities read a link from one place, so that caches need to hold it only once;
  /// hops to odd sites then read links in another order than stored. This works only for one
  /// right-hand side and links of 18 reals, in double or single precision.
  answer links_once = answer::by_size;

  /// Parses text such as "order:1x2x1,write:past,ahead:vector,links:once": any of order:YxZxT,
  /// write:past or write:kept, ahead:vector or ahead:direction, links:once or links:twice; the size
  /// decides what is not named. Throws usage_error.
  static hop_choice parse(std::string_view words);
};

/// Returns a name such as "wilson/single/18/24x24x24x24/1x1x1x1/2": operator, precision, reals of a
/// link, lattice, grid of ranks, threads.
std::string hop_name(dslash kind, field_precision precision, int recon, const geometry& geometry,
                     int threads);

/// A hop_footprint says how much cache a hop needs, for one rank.
struct hop_footprint {
  std::size_t links;      ///< bytes of links that a hop reads
  std::size_t field;      ///< bytes of a field of one parity, with all right-hand sides
  std::size_t threads;    ///< threads that share the links and fields
  std::size_t own_cache;  ///< size in bytes of each core's own cache
  bool can_share_links;   ///< hops to both parities can read a link from one place
};

struct hop_plan {
  bool past_caches;   ///< results are written by stores that bypass the caches
  bool from_memory;   ///< data are prefetched as if they came from memory
  bool links_once;    ///< hops to both parities read a link from one place
  bool in_own_cache;  ///< hops there and back find all data in the cores' own caches
};

/// Returns whether hops there and back can read a link from one place.
bool can_read_links_once(field_precision precision, int recon) noexcept;

/// Decides how a hop of this footprint works: as a measurement has found best, otherwise by one
/// rule based on sizes.
hop_plan plan_hop(const hop_choice& choice, const hop_footprint& sizes);

/// Returns the pieces of y, z and t in which hops process their vectors (vector_order), of
/// `vector_bytes` bytes each.
std::array<int, 3> plan_pieces(const hop_choice& choice, const hop_footprint& sizes,
                               const lane_layout& layout, std::size_t vector_bytes);

}  // namespace onehop
