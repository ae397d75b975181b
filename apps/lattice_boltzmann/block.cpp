#include "block.hpp"

#include <onehop/error.hpp>

namespace lattice_boltzmann {
namespace {

constexpr std::ptrdiff_t line_bytes = 64, page_bytes = 4096;

constexpr std::ptrdiff_t rounded_up(std::ptrdiff_t number, std::ptrdiff_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

}  // namespace

block::block(const onehop::cartesian& ranks, std::size_t cell_bytes) : ranks_(ranks) {
  if (ranks.dimensions() != 3)
    throw onehop::usage_error("a lattice of three dimensions is needed, not of " +
                              std::to_string(ranks.dimensions()));
  const auto bytes = static_cast<std::ptrdiff_t>(cell_bytes), line = line_bytes / bytes;
  strides_[0] = 1;
  strides_[1] = rounded_up(extent(0) + 2, line);
  strides_[2] = strides_[1] * (extent(1) + 2);
  first_ = line + strides_[1] + strides_[2];
  // Nineteen arrays that are three lines apart modulo a page cover the 64 sets of a first-level
  // cache evenly.
  pitch_ = rounded_up(line + strides_[2] * (extent(2) + 2), page_bytes / bytes) + 3 * line;
}

}  // namespace lattice_boltzmann
