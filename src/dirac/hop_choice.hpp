#pragma once
/// How a hop goes about its work, as far as a measurement may choose: no bit depends on it.

#include "lattice/field_precision.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace onehop {

struct hop_choice {
  /// by_size: as the bytes that a hop moves suggest.
  enum class answer { by_size, no, yes };

  /// Pieces of y, z and t that the vectors are worked on in, one after the other, each in the order
  /// of their numbers; by size where there are none.
  std::optional<std::array<int, 3>> pieces;
  answer past_caches = answer::by_size;  ///< results are written past the caches
  /// What is read is asked for as if it came from memory: further ahead, or more of it.
  answer vector_ahead = answer::by_size;
  /// Hops to both parities read a link from one place, so that caches need to hold it once: those
  /// to odd sites in another order than it is stored in. Only of one right-hand side, with links of
  /// 18 reals, of 16 bits for Wilson's hop alone.
  answer links_once = answer::by_size;

  /// "order:1x2x1,write:past,ahead:vector,links:once": words of any of the four, order:YxZxT,
  /// write:past or write:kept, ahead:vector or ahead:direction, links:once or links:twice; the
  /// others are by size. Throws usage_error.
  static hop_choice parse(std::string_view words);
};

/// "wilson/single/18/24x24x24x24/1x1x1x1/2": operator, numbers, reals of a link, lattice, grid of
/// ranks, threads.
std::string hop_name(dslash kind, field_precision precision, int reals, const geometry& geometry,
                     int threads);

}  // namespace onehop
