#include <onehop/halo_field.hpp>

#include <onehop/error.hpp>

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace onehop {
namespace {

std::vector<std::array<int, 2>> widths_of(const cartesian& ranks, const ghost_widths& ghosts) {
  const auto dimensions = static_cast<std::size_t>(ranks.dimensions());
  if (ghosts.sides.empty())
    return std::vector<std::array<int, 2>>(dimensions, {ghosts.width, ghosts.width});
  if (ghosts.sides.size() != dimensions)
    throw usage_error(text("ghosts for ", ghosts.sides.size(), " dimensions of a lattice of ",
                           dimensions, "; give a width below and above for each"));
  return ghosts.sides;
}

void check_width(const cartesian& ranks, std::size_t mu, int width) {
  if (width < 0)
    throw usage_error(
        text("ghosts of width ", width, " in dimension ", mu, "; give 0 sites or more"));
  const int thinnest = ranks.extents()[mu] / ranks.grid()[mu];
  const auto axis = static_cast<int>(mu);
  if (width > thinnest && (ranks.distributed(axis) || ranks.periodic(axis)))
    throw usage_error(text("ghosts of width ", width, " in dimension ", mu,
                           ", whose thinnest block has ", thinnest, " sites (", ranks.extents()[mu],
                           " over ", counted(ranks.grid()[mu], "rank"),
                           "); they may be as wide as it: use narrower ones, or fewer ranks "
                           "in this dimension"));
}

}  // namespace

halo_layout::halo_layout(const cartesian& ranks, const ghost_widths& ghosts)
    : ranks_(ranks), padded_(ghosts.padded) {
  const auto widths = widths_of(ranks, ghosts);
  for (std::size_t mu = 0; mu < widths.size(); ++mu) {
    for (const int width : widths[mu]) check_width(ranks, mu, width);
    widths_[mu] = widths[mu];
  }
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto [below, above] = padded_ ? widths_[mu] : std::array{0, 0};
    stride_[mu] = static_cast<std::ptrdiff_t>(volume_);
    const std::ptrdiff_t extent = std::ptrdiff_t{below} + ranks.local()[mu] + above;
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    if (__builtin_mul_overflow(volume_, static_cast<std::size_t>(extent), &volume_) ||
        volume_ > most)
      throw usage_error(text("a field with ghosts of width ", below, " and ", above,
                             " in dimension ", mu, " has more sites than can be numbered"));
    first_ += below * stride_[mu];
  }
}

bool halo_layout::operator==(const halo_layout& other) const noexcept {
  return ranks_ == other.ranks_ && padded_ == other.padded_ && widths_ == other.widths_;
}

halo_memory::halo_memory(const halo_layout& layout, std::size_t site_bytes,
                         std::span<std::byte> memory)
    : layout_(layout), site_bytes_(site_bytes), memory_(memory) {
  std::size_t needed = 0;
  if (__builtin_mul_overflow(layout.volume(), site_bytes, &needed) || memory.size() != needed)
    throw usage_error(text("a field of ", layout.volume(), " sites of ", site_bytes,
                           " bytes in memory of ", memory.size(), " bytes; it takes ",
                           layout.volume() * site_bytes));
}

}  // namespace onehop
