#include "checkerboard.hpp"

#include <onehop/error.hpp>

#include <string>

namespace spin_glass {
namespace {

constexpr std::ptrdiff_t line_bytes = 64, page_bytes = 4096;

void require_fits(const onehop::cartesian& ranks) {
  const std::string lattice = onehop::to_string(ranks.extents());
  if (ranks.dimensions() != 3)
    throw onehop::usage_error("a spin glass has three dimensions, not " +
                              std::to_string(ranks.dimensions()));
  for (int mu = 0; mu < 3; ++mu) {
    const auto d = static_cast<std::size_t>(mu);
    if (ranks.extents()[d] % 2 != 0)
      throw onehop::usage_error("lattice " + lattice + " has an odd extent in " + "xyz"[d] +
                                ", so even and odd sites do not alternate around it");
    if (ranks.extents()[d] % ranks.grid()[d] != 0)
      throw onehop::usage_error("grid " + onehop::to_string(ranks.grid()) +
                                " does not divide lattice " + lattice);
    if (!ranks.periodic(mu))
      throw onehop::usage_error("a spin glass is periodic in each dimension");
  }
  if (ranks.local()[0] % 2 != 0)
    throw onehop::usage_error("grid " + onehop::to_string(ranks.grid()) + " leaves blocks of " +
                              std::to_string(ranks.local()[0]) + " in x; an even number is needed");
}

std::ptrdiff_t whole_lines(std::ptrdiff_t numbers, std::ptrdiff_t in_line) {
  return (numbers + in_line - 1) / in_line * in_line;
}

}  // namespace

checkerboard::checkerboard(const onehop::cartesian& ranks, std::size_t number_bytes)
    : ranks_(ranks) {
  require_fits(ranks);
  const auto bytes = static_cast<std::ptrdiff_t>(number_bytes);
  const std::ptrdiff_t in_line = line_bytes / bytes, in_page = page_bytes / bytes;
  plane_pitch_ = whole_lines(static_cast<std::ptrdiff_t>(sites()) * (rows() + 2), in_line);
  // The pitch is not a multiple of a page, because a kernel reads two dozen arrays at the same
  // place: at distances of a multiple of a page, their lines would evict each other from an
  // eight-way cache.
  if (plane_pitch_ % in_page == 0) plane_pitch_ += in_line;
  pitch_ = plane_pitch_ * planes() + 5 * in_line;
  if (pitch_ % in_page == 0) pitch_ += in_line;
}

onehop::coordinate checkerboard::global(int x, int y, int z) const noexcept {
  const onehop::coordinate local{x, y, z, 0};
  onehop::coordinate found{};
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const int extent = ranks_.extents()[mu];
    found[mu] = (ranks_.origin()[mu] + local[mu] + extent) % extent;
  }
  return found;
}

std::uint64_t checkerboard::index(const onehop::coordinate& global) const noexcept {
  const auto& extents = ranks_.extents();
  const auto wide = [](int number) { return static_cast<std::uint64_t>(number); };
  return (wide(global[2]) * wide(extents[1]) + wide(global[1])) * wide(extents[0]) +
         wide(global[0]);
}

}  // namespace spin_glass
