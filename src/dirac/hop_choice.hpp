#pragma once
/// A hop_choice says how a hop does its work, as far as a measurement may choose: no bit depends on
/// it.

#include "lattice/field_precision.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace onehop
