#include <onehop/error.hpp>
#include <onehop/geometry.hpp>

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace onehop {
namespace {

constexpr std::array<char, 4> names = {'x', 'y', 'z', 't'};
/// Byte offsets into a field of that many sites still fit 63 bits.
constexpr double most_sites = 1ULL << 48;

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

/// Nearest divisor of `extent` that is not above `wanted`.
int divisor_below(int extent, int wanted) {
  int divisor = std::min(extent, wanted);
  while (extent % divisor != 0) --divisor;
  return divisor;
}

void check_grid(const coordinate& lattice, const coordinate& grid, int ranks) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (grid[mu] < 1)
      throw usage_error(text("grid ", to_string(grid), " has ", grid[mu], " ranks in ", names[mu],
                             "; every direction needs at least 1"));
    if (lattice[mu] % grid[mu] != 0)
      throw usage_error(text("grid ", to_string(grid), " does not divide lattice ",
                             to_string(lattice), ": ", names[mu], " extent ", lattice[mu], " over ",
                             grid[mu], " ranks; use a divisor of ", lattice[mu], ", for instance ",
                             divisor_below(lattice[mu], grid[mu])));
  }
  if (volume(grid) != static_cast<std::size_t>(ranks))
    throw usage_error(text("grid ", to_string(grid), " has ", volume(grid),
                           " ranks but the job has ", ranks,
                           "; start as many ranks as the grid has, or choose another grid"));
}

/// Sites of all faces that one rank sends.
double surface(const coordinate& lattice, const coordinate& grid) {
  double block = 1, faces = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) block *= static_cast<double>(lattice[mu] / grid[mu]);
  for (std::size_t mu = 0; mu < 4; ++mu)
    if (grid[mu] > 1) faces += 2 * block * grid[mu] / lattice[mu];
  return faces;
}

bool splits_later_directions_more(const coordinate& a, const coordinate& b) {
  return std::lexicographical_compare(b.rbegin(), b.rend(), a.rbegin(), a.rend());
}

/// Calls `visit` for each way to split `ranks` over directions mu to 3 that divides the lattice.
template <class Visit>
void for_each_grid(const coordinate& lattice, int ranks, std::size_t mu, coordinate& grid,
                   const Visit& visit) {
  if (mu == 3) {
    grid[3] = ranks;
    if (lattice[3] % ranks == 0) visit(grid);
    return;
  }
  for (int n = 1; n <= std::min(ranks, lattice[mu]); ++n) {
    if (ranks % n != 0 || lattice[mu] % n != 0) continue;
    grid[mu] = n;
    for_each_grid(lattice, ranks / n, mu + 1, grid, visit);
  }
}

bool leaves(const coordinate& lattice, const coordinate& grid, int thinnest) {
  for (std::size_t mu = 0; mu < 4; ++mu)
    if (grid[mu] > 1 && lattice[mu] / grid[mu] < thinnest) return false;
  return true;
}

std::optional<coordinate> best_grid(const coordinate& lattice, int ranks, int thinnest) {
  std::optional<coordinate> best;
  coordinate grid{};
  for_each_grid(lattice, ranks, 0, grid, [&](const coordinate& candidate) {
    if (!leaves(lattice, candidate, thinnest)) return;
    if (best) {
      const double mine = surface(lattice, candidate), theirs = surface(lattice, *best);
      if (mine > theirs || (mine == theirs && !splits_later_directions_more(candidate, *best)))
        return;
    }
    best = candidate;
  });
  return best;
}

int wrap(int value, int extent) {
  const int rest = value % extent;
  return rest < 0 ? rest + extent : rest;
}

}  // namespace

std::string to_string(const coordinate& c) { return text(c[0], 'x', c[1], 'x', c[2], 'x', c[3]); }

std::size_t volume(const coordinate& c) noexcept {
  std::size_t product = 1;
  for (const int extent : c) product *= static_cast<std::size_t>(extent);
  return product;
}

coordinate choose_grid(const coordinate& lattice, int ranks, int thinnest) {
  check_lattice(lattice);
  if (ranks < 1) throw usage_error(text("a job of ", ranks, " ranks; at least 1 is needed"));
  if (const auto grid = best_grid(lattice, ranks, thinnest)) return *grid;
  auto fits = static_cast<int>(std::min(static_cast<std::size_t>(ranks) - 1, volume(lattice)));
  while (!best_grid(lattice, fits, thinnest)) --fits;
  throw usage_error(text("lattice ", to_string(lattice), " cannot be divided among ", ranks,
                         " ranks: no grid of ", ranks, " divides its extents",
                         thinnest > 1 ? text(" into blocks of ", thinnest, " sites or more") : "",
                         "; the most that fit are ", fits, " ranks"));
}

geometry::geometry(const onehop::context& ctx, const coordinate& lattice, const coordinate& grid)
    : ctx_(ctx), lattice_(lattice), grid_(grid) {
  check_lattice(lattice);
  check_grid(lattice, grid, ctx.size());
  int rest = ctx.rank();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    local_[mu] = lattice[mu] / grid[mu];
    position_[mu] = rest % grid[mu];
    origin_[mu] = position_[mu] * local_[mu];
    rest /= grid[mu];
  }
}

int geometry::rank_at(const coordinate& position) const noexcept {
  int rank = 0;
  for (std::size_t mu = 4; mu-- > 0;) rank = rank * grid_[mu] + wrap(position[mu], grid_[mu]);
  return rank;
}

int geometry::neighbour(int mu, int sign) const noexcept {
  coordinate position = position_;
  position[static_cast<std::size_t>(mu)] += sign;
  return rank_at(position);
}

std::size_t geometry::local_index(const coordinate& site) const noexcept {
  std::size_t index = 0;
  for (std::size_t mu = 4; mu-- > 0;)
    index = index * static_cast<std::size_t>(local_[mu]) + static_cast<std::size_t>(site[mu]);
  return index;
}

coordinate geometry::local_site(std::size_t index) const noexcept {
  coordinate site{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto extent = static_cast<std::size_t>(local_[mu]);
    site[mu] = static_cast<int>(index % extent);
    index /= extent;
  }
  return site;
}

coordinate geometry::global_site(const coordinate& site) const noexcept {
  coordinate global{};
  for (std::size_t mu = 0; mu < 4; ++mu) global[mu] = origin_[mu] + site[mu];
  return global;
}

std::size_t geometry::global_index(const coordinate& global) const noexcept {
  std::size_t index = 0;
  for (std::size_t mu = 4; mu-- > 0;)
    index = index * static_cast<std::size_t>(lattice_[mu]) + static_cast<std::size_t>(global[mu]);
  return index;
}

int geometry::parity(const coordinate& site) const noexcept {
  const coordinate global = global_site(site);
  // Ghosts have coordinate -1, whose remainder by 2 is negative; the bit is right for both.
  return (global[0] + global[1] + global[2] + global[3]) & 1;
}

}  // namespace onehop
