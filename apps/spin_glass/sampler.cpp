#include "sampler.hpp"

#include "random_uses.hpp"

#include <common/instruction_sets.hpp>
#include <common/stopwatch.hpp>
#include <onehop/exact_sum.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spin_glass {

// Each build of row_kernels.cpp defines a table.
ONEHOP_APP_USABLE_KERNELS_OF_REALS(row_kernels)

namespace {

std::array<double, 3> drawn_direction(std::uint64_t seed, std::uint64_t replica,
                                      std::uint64_t site) {
  const auto [u, v] = onehop::site_random(seed, random_start, replica, site).uniform_pair();
  const double z = 2.0 * u - 1.0, radius = std::sqrt(1.0 - z * z),
               angle = 2.0 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

}  // namespace

template <class Real>
sampler<Real>::sampler(std::shared_ptr<const couplings<Real>> bonds, int replica, overlap how)
    : bonds_(std::move(bonds)),
      spins_(bonds_->block()),
      replica_(static_cast<std::uint64_t>(replica)),
      how_(how),
      kernels_(&usable_kernels<Real>().front()) {
  find_parts();
  find_together();
}

/// Faces are separate, because other ranks wait for them. If a block is so thin that a plane or row
/// is both its first and its last, that plane or row occurs once.
template <class Real>
void sampler<Real>::find_parts() {
  const int planes = block().planes(), rows = block().rows();
  for (int z = 0; z < planes; ++z) {
    if (ranks().distributed(2) && (z == 0 || z == planes - 1)) {
      faces_.push_back({z, 0, rows, 0, block().sites()});
    } else if (ranks().distributed(1)) {
      add_rows(faces_, z, 0, 1);
      if (rows > 1) add_rows(faces_, z, rows - 1, rows);
      if (rows > 2) add_rows(inside_, z, 1, rows - 1);
    } else {
      add_rows(inside_, z, 0, rows);
    }
  }
  if (!ranks().distributed(0)) return;
  // Each row has one site in a face across x: its first place or, in odd rows, its last.
  std::vector<part> rest;
  for (part each : inside_) {
    each.first = 0, each.last = 1;
    faces_.push_back(each);
    each.first = 1, each.last = block().sites();
    if (each.first < each.last) rest.push_back(each);
  }
  inside_ = std::move(rest);
}

template <class Real>
void sampler<Real>::add_rows(std::vector<part>& to, int z, int y0, int y1) {
  to.push_back({z, y0, y1, 0, block().sites()});
}

/// A block that fits a core's own cache gains nothing. For a larger block, n over-relaxations have
/// 2 n + 2 planes in use, with six components of spins and six couplings; these fit the last-level
/// cache.
template <class Real>
void sampler<Real>::find_together() {
  constexpr std::size_t own_cache = std::size_t{768} << 10U, last_cache = std::size_t{14} << 20U;
  const std::size_t plane = 12 * sizeof(Real) * block().sites() * block().rows();
  if (plane * block().planes() < own_cache) return;
  go_together(std::clamp(static_cast<int>(last_cache / plane) / 2 - 1, 0, 3));
}

template <class Real>
void sampler<Real>::go_together(int overrelaxations) {
  const bool divided = ranks().distributed(0) || ranks().distributed(1);
  const bool charged = ranks().context().transport().starts_with("virtual");
  together_ = divided || charged || how_ == overlap::none ? 0 : overrelaxations;
  order_ = order_of(2 * together_, block().planes());
}

template <class Real>
row_job<Real> sampler<Real>::job(int colour, const part& what) const {
  const int other = 1 - colour, z = what.z, y = what.y0, planes = block().planes();
  const std::ptrdiff_t pitch = block().pitch(), here = block().row(y, z);
  const Real* const theirs = spins_.component(other);
  const std::ptrdiff_t in_plane = static_cast<std::ptrdiff_t>(y) * block().sites();
  // Returns the plane at z - 1 or z + 1, of this rank or received from another one.
  const auto plane = [&](int side) -> spin_rows<const Real> {
    const int at = side == 0 ? z - 1 : z + 1;
    if (at >= 0 && at < planes) return {theirs + block().row(y, at), pitch};
    if (!ranks().distributed(2))
      return {theirs + block().row(y, side == 0 ? planes - 1 : 0), pitch};
    const auto arrived = spins_.arrived(other, {2, side});
    return {arrived.data + in_plane, arrived.pitch};
  };
  row_job<Real> made;
  made.spins = {spins_.component(colour) + here, pitch};
  made.same = {theirs + here, pitch};
  made.around = {spin_rows<const Real>{theirs + block().row(y - 1, z), pitch},
                 {theirs + block().row(y + 1, z), pitch},
                 plane(0),
                 plane(1)};
  made.couplings = {bonds_->upwards(colour, 0) + here, pitch};
  made.couplings_below = {bonds_->upwards(other, 0) + here,
                          bonds_->upwards(other, 1) + block().row(y - 1, z),
                          z > 0 ? bonds_->upwards(other, 2) + block().row(y, z - 1)
                                : bonds_->from_below(other) + in_plane};
  set_ends(made, colour, what);
  // The size is that of spins and couplings of both colours; 64^3 sites in single precision, 6 MB,
  // still count as cached.
  constexpr std::ptrdiff_t larger_than_caches = std::ptrdiff_t{16} << 20U;
  made.from_memory = 12 * pitch * static_cast<std::ptrdiff_t>(sizeof(Real)) > larger_than_caches;
  made.odd = block().first_x(colour, y, z) == 1;
  made.rows = what.y1 - y;
  made.sites = block().sites();
  made.first = what.first;
  made.last = what.last;
  return made;
}

template <class Real>
void sampler<Real>::set_ends(row_job<Real>& made, int colour, const part& what) const {
  const int other = 1 - colour;
  made.first_row = what.z * block().rows() + what.y0;
  if (ranks().distributed(0)) {
    for (int side = 0; side < 2; ++side) {
      const auto arrived = spins_.arrived(other, {0, side});
      made.ends[side] = {arrived.data, arrived.pitch};
    }
    made.end_couplings = bonds_->from_left(other);
    made.end_step = 0;
    return;
  }
  const int last = block().sites() - 1;
  made.ends = {spin_rows<const Real>{made.same.data + last, made.same.pitch}, made.same};
  made.end_couplings = made.couplings_below[0] + last;
  made.end_step = block().sites();
}

template <class Real>
template <class Work>
void sampler<Real>::run(int colour, const std::vector<part>& parts,
                        onehop::kernel_cost (*cost)(std::size_t), const Work& work) {
  if (parts.empty()) return;
  const app_common::stopwatch clock(ranks().context(), times_.updates_s);
  std::size_t sites = 0;
  for (const part& each : parts) {
    work(job(colour, each), each);
    sites += static_cast<std::size_t>(each.y1 - each.y0) * (each.last - each.first);
    spins_.wrap(colour, each.z);
  }
  ranks().context().work(cost(sites));
}

/// Faces are updated first, and inner sites while the faces travel.
template <class Real>
template <class Work>
void sampler<Real>::update(int colour, onehop::kernel_cost (*cost)(std::size_t), const Work& work) {
  run(colour, faces_, cost, work);
  if (how_ == overlap::none) run(colour, inside_, cost, work);
  timed_halo([&] { spins_.start(colour); });
  if (how_ == overlap::bulk) run(colour, inside_, cost, work);
  timed_halo([&] { spins_.finish(colour); });
}

template <class Real>
template <class Member>
void sampler<Real>::timed_halo(const Member& member) {
  const app_common::stopwatch clock(ranks().context(), times_.halo_s);
  member();
}

template <class Real>
void sampler<Real>::exchange(int colour) {
  for (int z = 0; z < block().planes(); ++z) spins_.wrap(colour, z);
  spins_.start(colour);
  spins_.finish(colour);
}

template <class Real>
void sampler<Real>::set_spins(
    const std::function<std::array<double, 3>(const onehop::coordinate&)>& spin_at) {
  for (int colour = 0; colour < 2; ++colour) {
    for (int z = 0; z < block().planes(); ++z) {
      for (int y = 0; y < block().rows(); ++y) {
        for (int i = 0; i < block().sites(); ++i) {
          const auto s = spin_at(block().global(block().first_x(colour, y, z) + 2 * i, y, z));
          const double length = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
          Real* const to = spins_.component(colour) + block().row(y, z) + i;
          for (int k = 0; k < 3; ++k) to[k * block().pitch()] = static_cast<Real>(s[k] / length);
        }
      }
    }
    exchange(colour);
  }
}

template <class Real>
void sampler<Real>::set_hot(std::uint64_t seed) {
  set_spins([&](const onehop::coordinate& site) {
    return drawn_direction(seed, replica_, block().index(site));
  });
}

template <class Real>
void sampler<Real>::overrelax(int colour) {
  update(colour, overrelaxation_cost,
         [&](const row_job<Real>& rows, const part&) { kernels_->overrelax(rows); });
}

template <class Real>
void sampler<Real>::overrelax_both(int times) {
  while (times > 0) {
    const int together = std::clamp(times, 1, std::max(together_, 1));
    if (together_ > 0) {
      overrelax_together(2 * together);
    } else {
      overrelax(0);
      overrelax(1);
    }
    times -= together;
  }
}

/// The faces of half-sweep 0 travel during the update of all inner sites; those of the other
/// half-sweeps wait only for each other.
template <class Real>
void sampler<Real>::overrelax_together(int half_sweeps) {
  for (int k = 0; k < half_sweeps; ++k) {
    overrelax_planes(order_.ends[k], half_sweeps);
    timed_halo([&] { spins_.start(k % 2); });
    if (k == 0) overrelax_planes(order_.inside, half_sweeps);
    timed_halo([&] { spins_.finish(k % 2); });
  }
}

/// Half-sweep 0 loads all data into the cache.
template <class Real>
void sampler<Real>::overrelax_planes(const std::vector<plane_sweep>& planes, int half_sweeps) {
  const app_common::stopwatch clock(ranks().context(), times_.updates_s);
  for (const auto& [half_sweep, z] : planes) {
    if (half_sweep >= half_sweeps) continue;
    row_job<Real> rows = job(half_sweep % 2, {z, 0, block().rows(), 0, block().sites()});
    rows.from_memory = rows.from_memory && half_sweep == 0;
    kernels_->overrelax(rows);
    spins_.wrap(half_sweep % 2, z);
  }
}

template <class Real>
void sampler<Real>::heatbath(double beta, std::uint64_t seed, std::uint64_t sweep) {
  const std::size_t sites = static_cast<std::size_t>(block().sites());
  std::vector<double> uniform(block().rows() * sites), cosine(uniform), sine(uniform);
  const random_stream stream{seed, random_heatbath, sweep | replica_ << 40U};
  for (int colour = 0; colour < 2; ++colour) {
    update(colour, heatbath_cost, [&](const row_job<Real>& rows, const part& what) {
      for (int y = what.y0; y < what.y1; ++y) {
        const std::size_t place = static_cast<std::size_t>(y - what.y0) * sites;
        const int x = block().first_x(colour, y, what.z);
        kernels_->draw(stream, block().index(block().global(x, y, what.z)), block().sites(),
                       {&uniform[place], &cosine[place], &sine[place]});
      }
      kernels_->heatbath(rows, beta, {uniform.data(), cosine.data(), sine.data()});
    });
  }
}

/// The sum runs over colour 0, because every bond has one end of that colour.
template <class Real>
double sampler<Real>::energy() {
  onehop::exact_sum sum;
  std::vector<double> terms(static_cast<std::size_t>(block().rows()) * block().sites());
  for (int z = 0; z < block().planes(); ++z) {
    kernels_->energies(job(0, {z, 0, block().rows(), 0, block().sites()}), terms.data());
    sum.add(terms);
  }
  ranks().context().work(overrelaxation_cost(block().volume()));
  return sum.total(ranks().context());
}

/// h takes 18 products and 15 sums, h.s and h.h take 5 each, twice h.s over h.h takes 2, and the
/// reflection 6. For each site, a colour's sweep moves three components of the other colour, three
/// read and three written of its own, and six couplings.
template <class Real>
onehop::kernel_cost sampler<Real>::overrelaxation_cost(std::size_t sites) noexcept {
  const auto count = static_cast<double>(sites);
  return {.flops = 51 * count, .bytes = 15 * sizeof(Real) * count, .launches = 1};
}

/// In addition to h, there are its length, exponential, logarithm, cosine and sine by their series,
/// and two vectors across: about 200 operations in all, with the random numbers.
template <class Real>
onehop::kernel_cost sampler<Real>::heatbath_cost(std::size_t sites) noexcept {
  const auto count = static_cast<double>(sites);
  return {.flops = 200 * count, .bytes = 15 * sizeof(Real) * count, .launches = 1};
}

template class sampler<float>;
template class sampler<double>;

}  // namespace spin_glass
