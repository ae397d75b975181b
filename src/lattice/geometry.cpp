#include <onehop/error.hpp>
#include <onehop/geometry.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "rma/halo/choose_grid.hpp"

namespace onehop {
namespace {

constexpr std::array<char, 4> names = {'x', 'y', 'z', 't'};
/// Byte offsets into a field of this many sites still fit 63 bits.
constexpr double most_sites = 1ULL << 48;
/// A message that suggests a larger number of ranks searches no further than this.
constexpr std::size_t most_ranks_tried = 1U << 16;

void check_lattice(const coordinate& lattice) {
  double sites = 1;
  for (const int extent : lattice) {
    if (extent < 1)
      throw usage_error(text("lattice ", to_string(lattice), " has the extent ", extent,
                             "; every extent must be at least 1"));
    sites *= extent;
  }
  if (sites > most_sites)
    throw usage_error(
        text("lattice ", to_string(lattice), " has ", sites, " sites; at most 2^48 are possible"));
}

/// Returns the divisor of `extent` that is nearest to `wanted` and not above it.
int divisor_below(int extent, int wanted) {
  int divisor = std::min(extent, wanted);
  while (extent % divisor != 0) --divisor;
  return divisor;
}

void check_grid(const coordinate& lattice, const coordinate& grid, int ranks) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (grid[mu] < 1)
      throw usage_error(text("grid ", to_string(grid), " has ", counted(grid[mu], "rank"), " in ",
                             names[mu], "; every direction needs at least 1"));
    if (lattice[mu] % grid[mu] != 0)
      throw usage_error(text("grid ", to_string(grid), " does not divide lattice ",
                             to_string(lattice), ": ", names[mu], " extent ", lattice[mu], " over ",
                             counted(grid[mu], "rank"), "; use a divisor of ", lattice[mu],
                             ", for instance ", divisor_below(lattice[mu], grid[mu])));
  }
  if (volume(grid) != static_cast<std::size_t>(ranks))
    throw usage_error(text("grid ", to_string(grid), " has ", counted(volume(grid), "rank"),
                           " but the job has ", ranks,
                           "; start as many ranks as the grid has, or choose another grid"));
}

/// Returns whether all blocks are alike, and at least `thinnest` sites thick along cut directions.
bool fits(const coordinate& lattice, const coordinate& grid, int thinnest) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (lattice[mu] % grid[mu] != 0) return false;
    if (grid[mu] > 1 && lattice[mu] / grid[mu] < thinnest) return false;
  }
  return true;
}

std::optional<coordinate> best_even_grid(const coordinate& lattice, int ranks, int thinnest) {
  return best_grid(lattice, ranks,
                   [&](const coordinate& grid) { return fits(lattice, grid, thinnest); });
}

/// Returns the next numbers of ranks that fit: a smaller one and, if there is one, a larger one.
std::string nearest_that_fit(const coordinate& lattice, int ranks, int thinnest) {
  auto fewer = static_cast<int>(std::min(static_cast<std::size_t>(ranks) - 1, volume(lattice)));
  while (!best_even_grid(lattice, fewer, thinnest)) --fewer;
  const auto most = static_cast<int>(std::min(volume(lattice), most_ranks_tried));
  auto more = std::min(ranks, most) + 1;
  while (more <= most && !best_even_grid(lattice, more, thinnest)) ++more;
  return more <= most ? text("the nearest numbers that fit are ", fewer, " and ", more)
                      : text("the next smaller number that fits is ", fewer);
}

const coordinate& checked(const coordinate& lattice, const coordinate& grid, int ranks) {
  check_lattice(lattice);
  check_grid(lattice, grid, ranks);
  return grid;
}

std::vector<int> entries(const coordinate& c) { return {c.begin(), c.end()}; }

}  // namespace

coordinate choose_grid(const coordinate& lattice, int ranks, int thinnest) {
  check_lattice(lattice);
  if (ranks < 1) throw usage_error(text("a job of ", ranks, " ranks; at least 1 is needed"));
  if (const auto grid = best_even_grid(lattice, ranks, thinnest)) return *grid;
  throw usage_error(text("lattice ", to_string(lattice), " cannot be divided among ",
                         counted(ranks, "rank"), ": no grid of ", ranks, " divides its extents",
                         thinnest > 1 ? text(" into blocks of ", thinnest, " sites or more") : "",
                         "; ", nearest_that_fit(lattice, ranks, thinnest)));
}

geometry::geometry(const onehop::context& ctx, const coordinate& lattice, const coordinate& grid)
    : cartesian(ctx, entries(lattice), {entries(checked(lattice, grid, ctx.size())), {}}) {}

std::size_t geometry::local_index(const coordinate& site) const noexcept {
  std::size_t index = 0;
  for (std::size_t mu = 4; mu-- > 0;)
    index = index * static_cast<std::size_t>(local()[mu]) + static_cast<std::size_t>(site[mu]);
  return index;
}

coordinate geometry::local_site(std::size_t index) const noexcept {
  coordinate site{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto extent = static_cast<std::size_t>(local()[mu]);
    site[mu] = static_cast<int>(index % extent);
    index /= extent;
  }
  return site;
}

coordinate geometry::global_site(const coordinate& site) const noexcept {
  coordinate global{};
  for (std::size_t mu = 0; mu < 4; ++mu) global[mu] = origin()[mu] + site[mu];
  return global;
}

std::size_t geometry::global_index(const coordinate& global) const noexcept {
  std::size_t index = 0;
  for (std::size_t mu = 4; mu-- > 0;)
    index = index * static_cast<std::size_t>(extents()[mu]) + static_cast<std::size_t>(global[mu]);
  return index;
}

int geometry::parity(const coordinate& site) const noexcept {
  const coordinate global = global_site(site);
  // The coordinate of a ghost may be -1, whose remainder by 2 is negative; its lowest bit is still
  // correct.
  return (global[0] + global[1] + global[2] + global[3]) & 1;
}

}  // namespace onehop
