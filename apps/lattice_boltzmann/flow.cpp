#include "flow.hpp"

#include <common/instruction_sets.hpp>
#include <common/stopwatch.hpp>
#include <onehop/error.hpp>

#include <cmath>
#include <string>

namespace lattice_boltzmann {

// Each build of row_kernels.cpp defines a table.
ONEHOP_APP_USABLE_KERNELS_OF_REALS(row_kernels)

namespace {

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

relaxation relaxation_of(const flow_options& how) {
  if (!(how.tau > 0.5) || !std::isfinite(how.tau))
    throw onehop::usage_error("tau is " + std::to_string(how.tau) +
                              "; a viscosity above 0 needs tau above 0.5");
  if (how.magic && !(*how.magic > 0 && std::isfinite(*how.magic)))
    throw onehop::usage_error("the magic parameter is " + std::to_string(*how.magic) +
                              "; it must be above 0");
  const double odd_tau = how.magic ? 0.5 + *how.magic / (how.tau - 0.5) : how.tau;
  return {1 / how.tau, 1 / odd_tau, how.force};
}

template <class Real>
flow<Real>::flow(const onehop::cartesian& ranks, const flow_options& how)
    : populations_(block(ranks, sizeof(Real))),
      parts_(where(), sizeof(Real)),
      relaxation_(relaxation_of(how)),
      how_(how.how),
      kernels_(&usable_kernels<Real>().front()) {}

template <class Real>
void flow<Real>::collide(const std::vector<part>& parts) {
  if (parts.empty()) return;
  std::size_t cells = 0;
  for (const part& each : parts) {
    kernels_->collide(populations_.job(each), relaxation_);
    populations_.wrap_plane(each.z);
    cells += each.cells();
  }
  ranks().context().work(collision_cost(cells));
}

template <class Real>
void flow<Real>::step() {
  const onehop::context& job = ranks().context();
  const app_common::stopwatch clock(job, times_.steps_s);
  const auto halo = [&](auto&& member) {
    const app_common::stopwatch of_halo(job, times_.halo_s);
    member();
  };
  collide(parts_.faces);
  if (how_ == overlap::none) collide(parts_.inside);
  halo([&] { populations_.start(); });
  if (how_ == overlap::bulk) collide(parts_.inside);
  halo([&] { populations_.finish(); });
}

template <class Real>
void flow<Real>::set(const std::function<fluid(const onehop::coordinate& cell)>& fluid_at) {
  const auto& origin = ranks().origin();
  for (int z = 0; z < where().extent(2); ++z) {
    for (int y = 0; y < where().extent(1); ++y) {
      const row_pointers<Real> row = populations_.row(0, y, z);
      for (int x = 0; x < where().extent(0); ++x) {
        const fluid here = fluid_at({origin[0] + x, origin[1] + y, origin[2] + z, 0});
        const double n = 1 + here.excess, square = dot(here.velocity, here.velocity);
        for (std::size_t i = 0; i < directions; ++i) {
          const auto e = velocity(i);
          const std::array<double, 3> along{double(e[0]), double(e[1]), double(e[2])};
          const double eu = dot(along, here.velocity);
          row[i][x] = static_cast<Real>(weight(i) *
                                        (here.excess + n * (3 * eu + 4.5 * eu * eu - 1.5 * square) -
                                         1.5 * dot(along, relaxation_.force)));
        }
      }
    }
  }
}

template <class Real>
std::array<double, directions> flow<Real>::populations_at(int x, int y, int z) const noexcept {
  return populations_of(populations_.row(x, y, z));
}

template <class Real>
fluid flow<Real>::at(int x, int y, int z) const noexcept {
  return fluid_of(populations_at(x, y, z), relaxation_.force);
}

/// Sums and differences of pairs take 36, the density 18, the momentum 21, its square and inverse
/// 9, and each pair 13.
template <class Real>
onehop::kernel_cost flow<Real>::collision_cost(std::size_t cells) noexcept {
  const auto count = static_cast<double>(cells);
  return {.flops = 201 * count, .bytes = 2 * directions * sizeof(Real) * count, .launches = 1};
}

template class flow<float>;
template class flow<double>;

}  // namespace lattice_boltzmann
