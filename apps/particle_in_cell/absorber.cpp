#include "absorber.hpp"

#include <cmath>

namespace particle_in_cell {
namespace {

constexpr double most_conducting = 3.2;
/// This loss is largest at the edge of a layer. Without it, fields that hardly change would stay in
/// the layer.
constexpr double most_lossy = 0.05;

std::size_t number_of(absorber::stagger where) { return static_cast<std::size_t>(where); }

}  // namespace

absorber::absorber(const onehop::halo_layout& layout, double dt, ends which) : layout_(layout) {
  const auto dimensions = static_cast<std::size_t>(layout.ranks().dimensions());
  for (std::size_t mu = 0; mu < dimensions; ++mu) {
    const bool above = mu != 0 || which == ends::all;
    find_layers(stagger::points, mu, dt, above);
    find_layers(stagger::halves, mu, dt, above);
  }
  for (std::size_t k = 0; k < 4 * dimensions; ++k) sums_.emplace_back(layout);
}

absorber::weights absorber::at_depth(double depth, double dt) noexcept {
  const double part = depth / thickness;
  if (part <= 0) return {};
  const double conducting = most_conducting * part * part * part, lossy = most_lossy * (1 - part),
               b = std::exp(-(conducting + lossy) * dt);
  return {b, conducting / (conducting + lossy) * (b - 1)};
}

void absorber::find_layers(stagger where, std::size_t dimension, double dt, bool above) {
  const auto& ranks = layout_.ranks();
  const int extent = ranks.extents()[dimension], local = ranks.local()[dimension],
            margin = where == stagger::halves ? 1 : 0;
  auto& found = layers_[number_of(where)];
  bool within = false;
  for (int cell = -margin; cell < local + margin; ++cell) {
    const int global = (ranks.origin()[dimension] + cell + extent) % extent;
    const double at = global + (where == stagger::halves ? 0.5 : 0),
                 depth = std::max(thickness - at, above ? at - (extent - thickness) : 0);
    if (depth <= 0) {
      within = false;
      continue;
    }
    if (!within) found.push_back({dimension, cell, cell, {}});
    within = true;
    found.back().of_cells.push_back(at_depth(depth, dt));
    found.back().end = cell + 1;
  }
}

/// Each component has two differences, along the dimensions that are not its own. In two
/// dimensions, those along z do not exist.
absorber::field& absorber::sums(stagger where, std::size_t component, std::size_t dimension) {
  const std::size_t which = (dimension + 2 - component) % 3;  // 0 or 1, for dimension c+1 or c+2
  return sums_[(number_of(where) * static_cast<std::size_t>(layout_.ranks().dimensions()) +
                dimension) *
                   2 +
               which];
}

void absorber::add(stagger where, std::size_t component, std::size_t dimension, double factor,
                   field& to, const field& of, bool is_new) {
  field& sum = sums(where, component, dimension);
  const onehop::coordinate& local = layout_.ranks().local();
  const int margin = where == stagger::halves ? 1 : 0,
            margin_z = layout_.ranks().dimensions() == 3 ? margin : 0;
  const std::ptrdiff_t step = layout_.stride(dimension);
  const std::ptrdiff_t other = where == stagger::halves ? step : -step;
  const double sign = where == stagger::halves ? 1 : -1;
  for (const layer& each : layers_[number_of(where)]) {
    if (each.dimension != dimension) continue;
    onehop::coordinate first{-margin, -margin, -margin_z, 0},
        last{local[0] + margin, local[1] + margin, local[2] + margin_z, 1};
    first[dimension] = each.begin;
    last[dimension] = each.end;
    for (int z = first[2]; z < last[2]; ++z)
      for (int y = first[1]; y < last[1]; ++y) {
        const std::size_t at = layout_.index({first[0], y, z, 0});
        double* p = sum.data().data() + at;
        double* changed = to.data().data() + at;
        const double* here = of.data().data() + at;
        const int cells = last[0] - first[0];
        // Along x each cell has its own depth, and along y and z each row.
        const int row = dimension == 1 ? y - each.begin : dimension == 2 ? z - each.begin : 0;
        const weights* depth = each.of_cells.data() + row;
        const std::ptrdiff_t next = dimension == 0 ? 1 : 0;
        for (int x = 0; x < cells; ++x) {
          const weights& w = depth[x * next];
          if (is_new) p[x] = w.b * p[x] + w.c * (sign * (here[x + other] - here[x]));
          changed[x] += factor * p[x];
        }
      }
  }
}

std::vector<onehop::halo_memory*> absorber::memory() {
  std::vector<onehop::halo_memory*> all;
  for (field& each : sums_) all.push_back(&each);
  return all;
}

}  // namespace particle_in_cell
