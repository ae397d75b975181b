#include <onehop/cartesian.hpp>

#include <onehop/error.hpp>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "rma/halo/choose_grid.hpp"

namespace onehop {
namespace {

/// Returns the extents as they are printed: "24x16x32".
std::string joined(const std::vector<int>& extents) {
  std::string result;
  for (const int extent : extents) result += (result.empty() ? "" : "x") + std::to_string(extent);
  return result;
}

void check_extents(const std::vector<int>& extents) {
  if (extents.empty() || extents.size() > 4)
    throw usage_error(
        text("a lattice of ", extents.size(), " dimensions; 1 to 4 of them are possible"));
  for (const int extent : extents)
    if (extent < 1)
      throw usage_error(text("lattice ", joined(extents), " has the extent ", extent,
                             "; every extent must be at least 1"));
}

void check_dimensions(const std::vector<int>& extents, const char* what, std::size_t entries) {
  if (entries != 0 && entries != extents.size())
    throw usage_error(text(what, " of ", entries, " dimensions for lattice ", joined(extents),
                           " of ", extents.size(), "; give one entry for each"));
}

coordinate filled_up(const std::vector<int>& entries) {
  coordinate result{1, 1, 1, 1};
  std::ranges::copy(entries, result.begin());
  return result;
}

void check_grid(const std::vector<int>& extents, const std::vector<int>& grid, int ranks) {
  for (std::size_t mu = 0; mu < grid.size(); ++mu)
    if (grid[mu] < 1 || grid[mu] > extents[mu])
      throw usage_error(text("grid ", joined(grid), " has ", counted(grid[mu], "rank"),
                             " in dimension ", mu, ", which has ", extents[mu],
                             " sites; give it 1 to ", extents[mu]));
  if (volume(filled_up(grid)) != static_cast<std::size_t>(ranks))
    throw usage_error(text("grid ", joined(grid), " has ", counted(volume(filled_up(grid)), "rank"),
                           " but the job has ", ranks,
                           "; start as many ranks as the grid has, or choose another grid"));
}

coordinate grid_of(const std::vector<int>& extents, const std::vector<int>& wanted, int ranks) {
  check_dimensions(extents, "a grid", wanted.size());
  if (!wanted.empty()) {
    check_grid(extents, wanted, ranks);
    return filled_up(wanted);
  }
  const auto best =
      best_grid(filled_up(extents), ranks, [](const coordinate& /*any*/) { return true; });
  if (best) return *best;
  throw usage_error(text("lattice ", joined(extents), " cannot be divided among ",
                         counted(ranks, "rank"),
                         ": no grid of that many ranks leaves each of them a site; start fewer"));
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

cartesian::cartesian(const onehop::context& ctx, const std::vector<int>& extents,
                     const cartesian_options& how)
    : ctx_(ctx), dimensions_(static_cast<int>(extents.size())) {
  check_extents(extents);
  check_dimensions(extents, "periodicity", how.periodic.size());
  extents_ = filled_up(extents);
  grid_ = grid_of(extents, how.grid, ctx.size());
  std::copy(how.periodic.begin(), how.periodic.end(), periodic_.begin());
  int rest = ctx.rank();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    position_[mu] = rest % grid_[mu];
    rest /= grid_[mu];
    const int even_share = extents_[mu] / grid_[mu], over = extents_[mu] % grid_[mu];
    local_[mu] = even_share + (position_[mu] < over ? 1 : 0);
    origin_[mu] = position_[mu] * even_share + std::min(position_[mu], over);
  }
}

bool cartesian::operator==(const cartesian& other) const noexcept {
  return dimensions_ == other.dimensions_ && extents_ == other.extents_ && grid_ == other.grid_ &&
         periodic_ == other.periodic_;
}

int cartesian::rank_at(const coordinate& position) const noexcept {
  int rank = 0;
  for (std::size_t mu = 4; mu-- > 0;) rank = rank * grid_[mu] + wrap(position[mu], grid_[mu]);
  return rank;
}

int cartesian::neighbour(const coordinate& steps) const noexcept {
  coordinate position = position_;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    position[mu] += steps[mu];
    if (!periodic_[mu] && wrap(position[mu], grid_[mu]) != position[mu]) return -1;
  }
  return rank_at(position);
}

int cartesian::neighbour(int mu, int sign) const noexcept {
  coordinate steps{};
  steps[static_cast<std::size_t>(mu)] = sign;
  return neighbour(steps);
}

context cartesian::along(const std::vector<int>& dimensions) const {
  coordinate fixed = position_, moving{};
  for (const int mu : dimensions) {
    if (mu < 0 || mu >= dimensions_)
      throw usage_error(text("rank ", ctx_.rank(), ": along dimension ", mu, " of a lattice of ",
                             dimensions_, ": give dimensions from 0 to ", dimensions_ - 1));
    const auto index = static_cast<std::size_t>(mu);
    if (std::ranges::count(dimensions, mu) > 1)
      throw usage_error(text("rank ", ctx_.rank(), ": along dimension ", mu,
                             " more than once: name each dimension once"));
    moving[index] = std::exchange(fixed[index], 0);
  }
  return ctx_.split(rank_at(fixed), rank_at(moving)).value();
}

}  // namespace onehop
