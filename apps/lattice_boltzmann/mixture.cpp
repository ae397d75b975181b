#include "mixture.hpp"

#include "each_cell.hpp"

#include <common/stopwatch.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace lattice_boltzmann {
namespace {

/// M = q (tau_h q - 1/2) Gamma with tau_h = 1 and q = 1 / (tau_h + 1/2).
constexpr double gamma_over_mobility = 9;

[[noreturn]] void refuse(const std::string& what, double value, const std::string& rule) {
  throw onehop::usage_error(what + " is " + std::to_string(value) + "; it must be " + rule);
}

free_energy energy_of(const mixture_options& how) {
  if (!(how.interface_width >= 2) || !std::isfinite(how.interface_width))
    refuse("the interface width", how.interface_width, "at least 2 cells");
  if (!(how.surface_tension > 0) || !std::isfinite(how.surface_tension))
    refuse("the surface tension", how.surface_tension, "above 0");
  if (!(how.mobility > 0) || !std::isfinite(how.mobility))
    refuse("the mobility", how.mobility, "above 0");
  if (!(std::abs(how.wall_cosine) <= 1))
    refuse("the cosine of the contact angle", how.wall_cosine, "from -1 to 1");
  const free_energy made{0.75 * how.surface_tension / how.interface_width,
                         0.375 * how.surface_tension * how.interface_width,
                         gamma_over_mobility * how.mobility};
  if (how.densities) return made;
  // For waves that alternate from cell to cell in all dimensions, mu is (8 A + 4 kappa) phi. They
  // grow if Gamma times this factor is above 5 / 12.
  const double most = 5.0 / 12 / (8 * made.bulk + 4 * made.gradient) / gamma_over_mobility;
  if (!(how.mobility < most))
    refuse("the mobility", how.mobility,
           "below " + std::to_string(most) + " for this surface tension and width to be stable");
  return made;
}

/// The flux of a phase field relaxes in 1/2 + 4 M steps.
std::optional<phase_field> phases_of(const mixture_options& how) {
  if (!how.densities) return {};
  const auto& [light, gravity, drive, light_tau] = *how.densities;
  if (!(light > 0 && light <= 1)) refuse("the light density", light, "above 0 and at most 1");
  if (!std::isfinite(gravity)) refuse("gravity", gravity, "finite");
  if (!std::isfinite(drive)) refuse("the drive", drive, "finite");
  phase_field made{
      how.interface_width, 1 / (0.5 + 4 * how.mobility), light, {drive, 0, -gravity}, {}};
  if (light_tau) {
    relaxation_of({.tau = *light_tau, .magic = how.magic});
    if (*light_tau != how.tau) made.times = two_times{*light_tau, how.tau, how.magic};
  }
  return made;
}

double square(double x) { return x * x; }

}  // namespace

template <class Real>
mixture<Real>::mixture(const onehop::cartesian& ranks, const mixture_options& how)
    : momentum_(block(ranks, sizeof(Real))),
      order_(momentum_.where()),
      kept_(how.densities ? 0
                          : static_cast<std::ptrdiff_t>(directions_of_d3q7 - 1) * where().pitch()),
      phi_(ranks, {.width = 1}),
      halo_(phi_, {.corners = true}),
      parts_(where(), sizeof(Real)),
      relaxation_(relaxation_of({.tau = how.tau, .magic = how.magic})),
      energy_(energy_of(how)),
      phases_(phases_of(how)),
      wall_slope_(2 * how.wall_cosine / how.interface_width),
      how_(how.how),
      kernels_(&usable_kernels<Real>().front()) {}

template <class Real>
mixture_job<Real> mixture<Real>::job(
    const part& of, const row_job<Real, directions_of_d3q7>& order) const noexcept {
  mixture_job<Real> made{momentum_.job(of), order, {}, &phi_(of.x0, of.y0, of.z), {}};
  if (!phases_)
    for (std::size_t i = 1; i < directions_of_d3q7; ++i)
      made.kept[i - 1] = kept(i) + where().index(of.x0, of.y0, of.z);
  for (std::size_t mu = 0; mu < 3; ++mu) made.phi_strides[mu] = phi_.layout().stride(mu);
  return made;
}

template <class Real>
void mixture<Real>::collide(const std::vector<part>& parts, bool sums_behind) {
  if (parts.empty()) return;
  std::size_t cells = 0;
  for (const part& each : parts) {
    if (phases_)
      kernels_->collide_phases(job(each), relaxation_, energy_, *phases_);
    else
      kernels_->collide_mixture(job(each), relaxation_, energy_);
    momentum_.wrap_plane(each.z);
    order_.wrap_plane(each.z);
    if (sums_behind) sum_order_behind(each.z);
    cells += each.cells();
  }
  ranks().context().work(step_cost(cells, phases_.has_value(), phases_ && phases_->times));
}

/// When plane z has collided, no collision needs the plane below it any more. All populations that
/// stream into that plane have arrived, and most are still in a cache. The first and the last plane
/// are exceptions, because they need populations from around the lattice or from other ranks.
template <class Real>
void mixture<Real>::sum_order_behind(int z) {
  if (z != summed_ + 2) return;
  ++summed_;
  const part below = plane(summed_);
  kernels_->sum_order(job(below, order_.next_job(below)));
}

template <class Real>
void mixture<Real>::sum_order() {
  for (int z = 0; z < where().extent(2); ++z)
    if (z < 1 || z > summed_) kernels_->sum_order(job(plane(z)));
  summed_ = 0;
}

template <class Real>
void mixture<Real>::fill_ghosts() {
  halo_.exchange();
  for (std::size_t mu = 0; mu < 3; ++mu) {
    if (ranks().periodic(static_cast<int>(mu))) continue;
    if (ranks().neighbour(static_cast<int>(mu), -1) < 0) wet_wall(mu, 0);
    if (ranks().neighbour(static_cast<int>(mu), +1) < 0) wet_wall(mu, 1);
  }
}

/// Half-way to the ghost phi is p with p = phi + slope / 2 (1 - p^2), and the ghost is 2 p - phi.
/// The ghosts of other dimensions are known by now and get ghosts beyond the wall too.
template <class Real>
void mixture<Real>::wet_wall(std::size_t mu, int side) {
  std::array<int, 3> first{-1, -1, -1}, end{};
  for (std::size_t nu = 0; nu < 3; ++nu) end[nu] = where().extent(nu) + 1;
  first[mu] = side == 0 ? 0 : where().extent(mu) - 1;
  end[mu] = first[mu] + 1;
  const auto slope = static_cast<Real>(wall_slope_);
  const std::ptrdiff_t away = (side == 0 ? -1 : 1) * phi_.layout().stride(mu);
  for (int z = first[2]; z < end[2]; ++z)
    for (int y = first[1]; y < end[1]; ++y)
      for (int x = first[0]; x < end[0]; ++x) {
        Real* const cell = &phi_(x, y, z);
        const Real root = std::sqrt(std::max(Real{0}, 1 + slope * (2 * *cell + slope)));
        cell[away] = 2 * (2 * *cell + slope) / (1 + root) - *cell;
      }
}

template <class Real>
void mixture<Real>::step() {
  const onehop::context& job = ranks().context();
  const app_common::stopwatch clock(job, times_.steps_s);
  const auto halo = [&](auto&& work) {
    const app_common::stopwatch of_halo(job, times_.halo_s);
    work();
  };
  const bool sums_behind = order_.wraps_planes();
  collide(parts_.faces, false);
  if (how_ == overlap::none) collide(parts_.inside, sums_behind);
  halo([&] {
    momentum_.start();
    order_.start();
  });
  if (how_ == overlap::bulk) collide(parts_.inside, sums_behind);
  halo([&] {
    momentum_.finish();
    order_.finish();
  });
  sum_order();
  halo([&] { fill_ghosts(); });
}

/// This is the calculation of mixture_lanes.hpp for one cell, in double precision.
template <class Real>
typename mixture<Real>::local_energy mixture<Real>::energy_at(int x, int y, int z) const noexcept {
  const double phi = phi_(x, y, z), bulk = energy_.bulk;
  double curvature = -4 * phi;
  std::array<double, 3> slope{}, bulk_slope{};
  for (std::size_t i = 1; i < directions; ++i) {
    const auto e = velocity(i);
    const double there = phi_(x + e[0], y + e[1], z + e[2]), w = 3 * weight(i);
    curvature += 2 * w * there;
    for (std::size_t mu = 0; mu < 3; ++mu) {
      slope[mu] += w * e[mu] * there;
      bulk_slope[mu] += w * e[mu] * square(there * there - 1);
    }
  }
  local_energy found{4 * bulk * phi * (phi * phi - 1) - energy_.gradient * curvature, {}};
  for (std::size_t mu = 0; mu < 3; ++mu)
    found.force[mu] = bulk * bulk_slope[mu] - energy_.gradient * curvature * slope[mu];
  return found;
}

template <class Real>
double mixture<Real>::density_of(double phi) const noexcept {
  const double light = phases_->light_density;
  return (1 + light) / 2 + (1 - light) / 2 * phi;
}

template <class Real>
void mixture<Real>::set(const by_cell& phi_at, const by_cell& heavy_pressure_at) {
  for_cells(where(), [&](int x, int y, int z, const onehop::coordinate& cell) {
    phi_(x, y, z) = static_cast<Real>(phi_at(cell));
  });
  fill_ghosts();
  if (phases_)
    set_densities(heavy_pressure_at);
  else
    set_free_energy();
  sum_order();
  fill_ghosts();
}

template <class Real>
void mixture<Real>::set_free_energy() {
  for_cells(where(), [&](int x, int y, int z, const onehop::coordinate&) {
    const auto [potential, force] = energy_at(x, y, z);
    const double phi = phi_(x, y, z), share = energy_.gamma * potential;
    const auto f = momentum_.row(x, y, z);
    const auto h = order_.row(x, y, z);
    f[0][0] = static_cast<Real>(-6 * weight(0) * phi * potential);
    h[0][0] = static_cast<Real>(phi - 3 * share);
    for (std::size_t i = 1; i < directions; ++i) {
      const auto e = velocity(i);
      const double along = e[0] * force[0] + e[1] * force[1] + e[2] * force[2];
      f[i][0] = static_cast<Real>(3 * weight(i) * (phi * potential - along / 2));
      if (i < directions_of_d3q7) h[i][0] = static_cast<Real>(share / 2);
    }
  });
}

template <class Real>
void mixture<Real>::set_densities(const by_cell& heavy_pressure_at) {
  for_cells(where(), [&](int x, int y, int z, const onehop::coordinate& cell) {
    const double phi = phi_(x, y, z);
    const double reduced = 1.5 * heavy_pressure_at(cell) * (1 + phi) / density_of(phi);
    const auto f = momentum_.row(x, y, z);
    const auto h = order_.row(x, y, z);
    for (std::size_t i = 0; i < directions; ++i) f[i][0] = static_cast<Real>(weight(i) * reduced);
    for (std::size_t i = 0; i < directions_of_d3q7; ++i)
      h[i][0] = static_cast<Real>(phi / (i == 0 ? 4 : 8));
  });
}

template <class Real>
mixture_cell mixture<Real>::at(int x, int y, int z) const noexcept {
  if (phases_) {
    const double density = density_of(phi_(x, y, z));
    const double reduced = fluid_of(populations_of(momentum_.row(x, y, z)), {}).excess;
    const auto u =
        kernels_->velocity_of_phases(job({z, y, y + 1, x, x + 1}), relaxation_, energy_, *phases_);
    return {{density - 1, {u[0], u[1], u[2]}}, phi_(x, y, z), reduced * density / 3};
  }
  const auto [potential, force] = energy_at(x, y, z);
  const double phi = phi_(x, y, z);
  const fluid whole = fluid_of(populations_of(momentum_.row(x, y, z)), force);
  return {whole, phi, whole.excess / 3 + phi * potential - energy_.bulk * square(phi * phi - 1)};
}

template <class Real>
std::size_t mixture<Real>::sent_bytes() const noexcept {
  std::size_t of_phi = 0;
  for (std::size_t s = 1; s < 27; ++s) {
    const std::array<int, 3> steps{static_cast<int>(s % 3) - 1, static_cast<int>(s / 3 % 3) - 1,
                                   static_cast<int>(s / 9) - 1};
    const int beyond = ranks().neighbour({steps[0], steps[1], steps[2], 0});
    if (steps == std::array<int, 3>{} || beyond < 0 || beyond == ranks().context().rank()) continue;
    std::size_t cells = 1;
    for (std::size_t mu = 0; mu < 3; ++mu)
      if (steps[mu] == 0) cells *= static_cast<std::size_t>(where().extent(mu));
    of_phi += cells;
  }
  return (momentum_.sent() + order_.sent() + of_phi) * sizeof(Real);
}

/// In addition to the collision of one fluid, differences take 180 operations, the force 60 and the
/// order parameter 60. Momentum moves 38 numbers, D3Q7 14 and its resting part 12, and the sum of
/// these reads 13; phi is written once and read once from memory. Two densities have no resting
/// part, and take 100 for the force and its viscous part where two fluids take 60. The rates of two
/// viscosities take 30.
template <class Real>
onehop::kernel_cost mixture<Real>::step_cost(std::size_t cells, bool of_densities,
                                             bool two_viscosities) noexcept {
  const auto count = static_cast<double>(cells);
  if (of_densities)
    return {.flops = (two_viscosities ? 571 : 541) * count,
            .bytes = 61 * sizeof(Real) * count,
            .launches = 2};
  return {.flops = 501 * count, .bytes = 79 * sizeof(Real) * count, .launches = 2};
}

template class mixture<float>;
template class mixture<double>;

}  // namespace lattice_boltzmann
