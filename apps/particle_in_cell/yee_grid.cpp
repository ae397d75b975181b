#include "yee_grid.hpp"

#include <algorithm>

namespace particle_in_cell {
namespace {

template <class Field>
std::array<Field, 3> three(const onehop::cartesian& ranks) {
  const onehop::halo_layout layout(ranks, {.width = yee_grid::ghosts});
  return {Field(layout), Field(layout), Field(layout)};
}

template <class Field>
std::vector<onehop::halo_memory*> all_of(std::array<Field, 3>& fields) {
  return {&fields[0], &fields[1], &fields[2]};
}

}  // namespace

yee_grid::yee_grid(const onehop::cartesian& ranks, double dt, double quantum, boundary ends)
    : dt_(dt),
      quantum_(quantum),
      electric_(three<field>(ranks)),
      magnetic_(three<field>(ranks)),
      currents_(three<ghost_sum::field>(ranks)),
      halo_(all_of(electric_), {.corners = true}),
      sum_({&currents_[0], &currents_[1], &currents_[2]}) {
  for (std::size_t mu = 0; mu < 3; ++mu)
    stride_[mu] = static_cast<int>(mu) < ranks.dimensions() ? layout().stride(mu) : 0;
  if (ends == boundary::periodic) return;
  absorber_.emplace(layout(), dt,
                    ends == boundary::window ? absorber::ends::not_in_front : absorber::ends::all);
}

void yee_grid::set(const vector_at& electric, const vector_at& magnetic) {
  const auto& origin = ranks().origin();
  for_cells(ranks().local(), [&](const onehop::coordinate& cell) {
    const onehop::coordinate there{origin[0] + cell[0], origin[1] + cell[1], origin[2] + cell[2],
                                   0};
    const auto e = electric(there), b = magnetic(there);
    for (std::size_t mu = 0; mu < 3; ++mu) {
      electric_[mu][cell] = e[mu];
      magnetic_[mu][cell] = b[mu];
    }
  });
  halo_.exchange();
  onehop::halo_exchange(all_of(magnetic_), {.corners = true}).exchange();
}

void yee_grid::point(row_job& job, int y, int z) noexcept {
  const std::size_t first = layout().index({0, y, z, 0});
  for (std::size_t mu = 0; mu < 3; ++mu) {
    job.fields[mu] = electric_[mu].data().data() + first;
    job.fields[3 + mu] = magnetic_[mu].data().data() + first;
    job.currents[mu] = currents_[mu].data().data() + first;
  }
  job.stride_y = stride_[1];
  job.stride_z = stride_[2];
}

void yee_grid::clear_currents() noexcept {
  for (auto& each : currents_) std::fill(each.data().begin(), each.data().end(), 0);
}

/// Calls `work` with the index of the first cell of each row of the block and of the ghosts within
/// `margin` of it, and with the number of the row's cells.
template <class Work>
void yee_grid::for_rows(int margin, const Work& work) const {
  const auto& local = ranks().local();
  const int margin_z = ranks().dimensions() == 3 ? margin : 0;
  for (int z = -margin_z; z < local[2] + margin_z; ++z)
    for (int y = -margin; y < local[1] + margin; ++y)
      work(layout().index({-margin, y, z, 0}), local[0] + 2 * margin);
}

/// The forces on particles need B one cell beyond the block, and so does the next update of E.
void yee_grid::turn_magnetic(bool electric_is_new) {
  const double half = dt_ / 2;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
    for_rows(1, [&](std::size_t first, int cells) {
      double* to = magnetic_[c].data().data() + first;
      const double* ea = electric_[a].data().data() + first;
      const double* eb = electric_[b].data().data() + first;
      const std::ptrdiff_t next_a = stride_[a], next_b = stride_[b];
      for (int x = 0; x < cells; ++x)
        to[x] -= half * ((eb[x + next_a] - eb[x]) - (ea[x + next_b] - ea[x]));
    });
  }
  absorb(absorber::stagger::halves, -half, magnetic_, electric_, electric_is_new);
}

void yee_grid::turn_electric() {
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
    for_rows(0, [&](std::size_t first, int cells) {
      double* to = electric_[c].data().data() + first;
      const double* ba = magnetic_[a].data().data() + first;
      const double* bb = magnetic_[b].data().data() + first;
      const quanta* current = currents_[c].data().data() + first;
      const std::ptrdiff_t next_a = stride_[a], next_b = stride_[b];
      for (int x = 0; x < cells; ++x)
        to[x] += dt_ * ((bb[x] - bb[x - next_a]) - (ba[x] - ba[x - next_b]) -
                        quantum_ * static_cast<double>(current[x]));
    });
  }
  absorb(absorber::stagger::points, dt_, electric_, magnetic_, true);
}

/// Component c of the curl is the difference of b along a minus that of a along b.
void yee_grid::absorb(absorber::stagger where, double factor, std::array<field, 3>& to,
                      const std::array<field, 3>& of, bool is_new) {
  if (!absorber_) return;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
    if (stride_[a] != 0) absorber_->add(where, c, a, factor, to[c], of[b], is_new);
    if (stride_[b] != 0) absorber_->add(where, c, b, -factor, to[c], of[a], is_new);
  }
}

/// A perfect conductor at the first points of each dimension separates the two ends: E along it is
/// zero.
void yee_grid::close_ends() noexcept {
  const onehop::coordinate& local = ranks().local();
  for (int mu = 0; mu < ranks().dimensions(); ++mu) {
    const auto across = static_cast<std::size_t>(mu);
    if (ranks().origin()[across] != 0) continue;
    onehop::coordinate end = local;
    end[across] = 1;
    for (std::size_t c = 0; c < 3; ++c)
      for (int z = 0; c != across && z < end[2]; ++z)
        for (int y = 0; y < end[1]; ++y)
          for (int x = 0; x < end[0]; ++x) electric_[c](x, y, z) = 0;
  }
}

void yee_grid::radiate(const antenna& from) {
  const onehop::coordinate &local = ranks().local(), &origin = ranks().origin();
  const int x = from.x - origin[0];
  if (x < -1 || x >= local[0]) return;
  const auto magnetised = [&](int y, int z) {
    return dt_ * from.magnetisation({from.x, origin[1] + y, origin[2] + z, 0});
  };
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y) {
      const double here = magnetised(y, z);
      if (x + 1 < local[0]) electric_[1](x + 1, y, z) -= here;
      if (x < 0) continue;
      electric_[1](x, y, z) += here;
      electric_[0](x, y, z) -= here - magnetised(y - 1, z);
    }
}

void yee_grid::start_step(const antenna* from) {
  turn_magnetic(false);
  turn_electric();
  if (from != nullptr) radiate(*from);
  if (absorber_) close_ends();
  halo_.start();
}

std::vector<onehop::halo_memory*> yee_grid::memory() {
  std::vector<onehop::halo_memory*> all = all_of(electric_);
  for (field& each : magnetic_) all.push_back(&each);
  if (absorber_)
    for (onehop::halo_memory* each : absorber_->memory()) all.push_back(each);
  return all;
}

void yee_grid::finish_step() {
  halo_.wait();
  turn_magnetic(true);
}

std::array<double, 3> yee_grid::electric(const onehop::coordinate& cell) const noexcept {
  return {electric_[0][cell], electric_[1][cell], electric_[2][cell]};
}

std::array<double, 3> yee_grid::magnetic(const onehop::coordinate& cell) const noexcept {
  return {magnetic_[0][cell], magnetic_[1][cell], magnetic_[2][cell]};
}

double yee_grid::divergence_of_electric(const onehop::coordinate& cell) const noexcept {
  const auto at = static_cast<std::ptrdiff_t>(layout().index(cell));
  double sum = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double* here = electric_[mu].data().data() + at;
    sum += here[0] - here[-stride_[mu]];
  }
  return sum;
}

double yee_grid::divergence_of_magnetic(const onehop::coordinate& cell) const noexcept {
  const auto at = static_cast<std::ptrdiff_t>(layout().index(cell));
  double sum = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double* here = magnetic_[mu].data().data() + at;
    sum += here[stride_[mu]] - here[0];
  }
  return sum;
}

/// E goes to the ghosts of both sides, edges and corners included.
std::size_t yee_grid::sent_bytes() const noexcept {
  const auto& local = ranks().local();
  std::size_t cells = 1;
  for (int mu = 0; mu < ranks().dimensions(); ++mu) {
    const int margin = ranks().distributed(mu) ? 2 * ghosts : 0;
    cells *= static_cast<std::size_t>(local[static_cast<std::size_t>(mu)] + margin);
  }
  return sum_.sent_bytes() + 3 * sizeof(double) * (cells - ranks().local_volume());
}

}  // namespace particle_in_cell
