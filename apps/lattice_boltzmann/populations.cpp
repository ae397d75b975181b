#include "populations.hpp"

#include "each_cell.hpp"

#include <algorithm>

namespace lattice_boltzmann {
namespace {

/// Extents are wrapped row by row, or plane by plane, while a row is in the cache: x if this rank
/// has all of it, and y if it has all of x and y.
std::array<bool, 3> wrapped(const block& where) {
  const bool x = where.alone_in(0);
  return {x, x && where.alone_in(1), false};
}

/// Returns the array that contains, after a step, the populations that leave in a direction.
constexpr std::size_t array_of(std::size_t direction, int parity) {
  return parity == 0 ? opposite(direction) : direction;
}

}  // namespace

template <class Real, std::size_t Directions>
populations<Real, Directions>::populations(const block& where)
    : where_(where), memory_(static_cast<std::ptrdiff_t>(Directions) * where.pitch()) {
  for (int parity = 0; parity < 2; ++parity) plan(plans_[parity], parity);
  connect();
}

template <class Real, std::size_t Directions>
typename populations<Real, Directions>::strip populations<Real, Directions>::strip_of(
    std::size_t array, const box& cells) const {
  const auto& at = cells.first;
  return {static_cast<std::ptrdiff_t>(array) * where_.pitch() + where_.index(at[0], at[1], at[2]),
          cells.count};
}

template <class Real, std::size_t Directions>
row_pointers<Real, Directions> populations<Real, Directions>::row(int x, int y, int z,
                                                                  int parity) const noexcept {
  row_pointers<Real, Directions> at;
  for (std::size_t i = 0; i < Directions; ++i) {
    const auto e = velocity(i);
    at[i] = parity == 0 ? array(i) + where_.index(x, y, z)
                        : array(opposite(i)) + where_.index(x - e[0], y - e[1], z - e[2]);
  }
  return at;
}

/// Both parities have the same messages in the same order, with the same sizes.
template <class Real, std::size_t Directions>
void populations<Real, Directions>::plan(step_plan& of, int parity) const {
  const auto wraps = wrapped(where_);
  for (std::size_t s = 1; s < Directions; ++s) {
    const auto steps = velocity(s);
    const auto& ranks = where_.ranks();
    const int beyond = ranks.neighbour({steps[0], steps[1], steps[2], 0});
    message to{ranks.neighbour({-steps[0], -steps[1], -steps[2], 0}), beyond, {}, {}, s, {}, {}};
    for (std::size_t i = 1; i < Directions; ++i) {
      const link each{steps, i};
      if (!leaves(each, wraps)) continue;
      const std::size_t in = array_of(i, parity);
      const strip source = strip_of(in, moved(cells_before(where_, each, wraps), i, parity)),
                  target = strip_of(in, moved(cells_after(where_, each, wraps), i, parity - 1));
      if (volume(source) == 0) continue;
      if (beyond == ranks.context().rank()) {
        of.moves.push_back({source, target.first});
      } else if (beyond < 0) {
        of.moves.push_back(bounce(each, parity));
      } else {
        to.from.push_back(source);
      }
      if (to.origin >= 0 && to.origin != ranks.context().rank()) to.to.push_back(target);
    }
    if (!to.from.empty() || !to.to.empty()) of.messages.push_back(std::move(to));
  }
}

/// A population that leaves in direction i towards a wall returns to the same cell in direction -i.
/// Cells that a wrapped extent brings to a ghost count here as the block's own.
template <class Real, std::size_t Directions>
typename populations<Real, Directions>::move populations<Real, Directions>::bounce(
    const link& each, int parity) const {
  const auto wraps = wrapped(where_);
  box cells = cells_before(where_, each, wraps);
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (wraps[mu]) cells.first[mu] = 0;
  const std::size_t i = each.direction, back = opposite(i);
  const strip own = strip_of(back, cells), beyond = strip_of(i, moved(cells, i, 1));
  return parity == 0 ? move{own, beyond.first} : move{beyond, own.first};
}

/// A message arrives at an offset that all ranks know: each kind of message begins after the
/// largest size that any rank receives of the previous kinds.
template <class Real, std::size_t Directions>
void populations<Real, Directions>::connect() {
  const auto& ranks = where_.ranks();
  if (ranks.context().size() == 1) return;
  std::array<std::size_t, Directions + 1> offset{};
  for (std::size_t s = 1; s < Directions; ++s)
    offset[s + 1] = offset[s] + most_numbers(velocity(s)) * sizeof(Real);
  window_ = onehop::window::allocate(ranks.context(), offset.back());
  chain_.emplace(ranks.context(), *window_);
  for (message& each : plans_[0].messages) {
    const std::size_t bytes = numbers_of(each.from) * sizeof(Real);
    if (bytes > 0)
      each.sent = chain_->push(onehop::put::packed(bytes, each.target, offset[each.kind]));
    if (!each.to.empty()) each.arrives = chain_->add_origin(each.origin);
  }
  chain_->commit();
  for (std::size_t k = 0; k < plans_[0].messages.size(); ++k) {
    plans_[1].messages[k].sent = plans_[0].messages[k].sent;
    plans_[1].messages[k].arrives = plans_[0].messages[k].arrives;
  }
}

template <class Real, std::size_t Directions>
std::size_t populations<Real, Directions>::most_numbers(const std::array<int, 3>& steps) const {
  const auto& ranks = where_.ranks();
  std::size_t cells = 1, crossing = 0;
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (steps[mu] == 0)
      cells *=
          static_cast<std::size_t>((ranks.extents()[mu] + ranks.grid()[mu] - 1) / ranks.grid()[mu]);
  for (std::size_t i = 1; i < Directions; ++i) crossing += leaves({steps, i}, {}) ? 1 : 0;
  return cells * crossing;
}

template <class Real, std::size_t Directions>
std::size_t populations<Real, Directions>::numbers_of(const std::vector<strip>& strips) {
  std::size_t numbers = 0;
  for (const strip& each : strips) numbers += volume(each);
  return numbers;
}

template <class Real, std::size_t Directions>
std::size_t populations<Real, Directions>::sent() const noexcept {
  std::size_t numbers = 0;
  for (const message& each : plans_[0].messages) numbers += numbers_of(each.from);
  return numbers;
}

template <class Real, std::size_t Directions>
template <class Work>
void populations<Real, Directions>::for_rows(const strip& of, const Work& work) const {
  for (int z = 0; z < of.count[2]; ++z)
    for (int y = 0; y < of.count[1]; ++y)
      work(of.first + y * where_.stride(1) + z * where_.stride(2), of.count[0]);
}

template <class Real, std::size_t Directions>
void populations<Real, Directions>::copy(const move& what) noexcept {
  const std::ptrdiff_t away = what.to - what.from.first;
  for_rows(what.from, [&](std::ptrdiff_t first, int count) {
    std::copy_n(memory_.data() + first, count, memory_.data() + first + away);
  });
}

template <class Real, std::size_t Directions>
row_job<Real, Directions> populations<Real, Directions>::job(const part& of,
                                                             int parity) const noexcept {
  return {row(of.x0, of.y0, of.z, parity), of.x1 - of.x0, of.y1 - of.y0, where_.stride(1),
          wrapped(where_)[0]};
}

/// A plane is already wrapped in x.
template <class Real, std::size_t Directions>
void populations<Real, Directions>::wrap_plane(int z) noexcept {
  if (!wraps_planes()) return;
  const auto wraps = wrapped(where_);
  for (std::size_t i = 1; i < Directions; ++i) {
    const auto e = velocity(i);
    if (e[1] == 0) continue;
    const link around{{0, e[1], 0}, i};
    box before = cells_before(where_, around, wraps), after = cells_after(where_, around, wraps);
    before.first[2] = z, after.first[2] = z + e[2];
    before.count[2] = after.count[2] = 1;
    const std::size_t in = array_of(i, parity_);
    copy({strip_of(in, moved(before, i, parity_)),
          strip_of(in, moved(after, i, parity_ - 1)).first});
  }
}

/// Says whether the population that arrives at a cell in a direction comes from a solid cell. At an
/// end of the lattice that is not periodic it comes from the wall.
template <class Real, std::size_t Directions>
bool populations<Real, Directions>::is_beyond_surface(
    const onehop::coordinate& cell, std::size_t direction,
    const std::function<bool(const onehop::coordinate& cell)>& solid) const {
  const auto& extents = where_.ranks().extents();
  onehop::coordinate from = cell;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    from[mu] -= velocity(direction)[mu];
    const bool outside = from[mu] < 0 || from[mu] >= extents[mu];
    if (outside && !where_.ranks().periodic(static_cast<int>(mu))) return false;
    from[mu] = (from[mu] + extents[mu]) % extents[mu];
  }
  return solid(from);
}

template <class Real, std::size_t Directions>
void populations<Real, Directions>::set_solid(
    const std::function<bool(const onehop::coordinate& cell)>& solid) {
  solid_links_.clear();
  for_cells(where_, [&](int x, int y, int z, const onehop::coordinate& cell) {
    if (solid(cell)) return;
    for (std::size_t i = 1; i < Directions; ++i) {
      if (!is_beyond_surface(cell, i, solid)) continue;
      const auto e = velocity(i);
      solid_links_.push_back(
          {static_cast<std::ptrdiff_t>(i) * where_.pitch() + where_.index(x, y, z),
           static_cast<std::ptrdiff_t>(opposite(i)) * where_.pitch() +
               where_.index(x - e[0], y - e[1], z - e[2])});
    }
  });
}

/// A population that a fluid cell sends towards a solid one lies where the opposite population
/// would come from; the next step reads that one at the other end of the link.
template <class Real, std::size_t Directions>
void populations<Real, Directions>::return_from_solid() noexcept {
  for (const solid_link& each : solid_links_) {
    Real &own = memory_.data()[each.own], &beyond = memory_.data()[each.beyond];
    (parity_ == 0 ? beyond : own) = parity_ == 0 ? own : beyond;
  }
}

template <class Real, std::size_t Directions>
void populations<Real, Directions>::start() {
  if (!chain_) return;
  for (const message& each : plans_[parity_].messages) {
    if (!each.sent) continue;
    Real* to = reinterpret_cast<Real*>(chain_->target_view(*each.sent).data());
    for (const strip& from : each.from)
      for_rows(from, [&](std::ptrdiff_t first, int count) {
        to = std::copy_n(memory_.data() + first, count, to);
      });
  }
  chain_->start();
}

template <class Real, std::size_t Directions>
void populations<Real, Directions>::finish() {
  if (chain_) {
    chain_->wait();
    for (const message& each : plans_[parity_].messages) {
      if (!each.arrives) continue;
      const Real* from = reinterpret_cast<const Real*>(chain_->arrived(*each.arrives).data());
      for (const strip& to : each.to)
        for_rows(to, [&](std::ptrdiff_t first, int count) {
          std::copy_n(from, count, memory_.data() + first);
          from += count;
        });
    }
  }
  for (const move& each : plans_[parity_].moves) copy(each);
  return_from_solid();
  parity_ = 1 - parity_;
}

template class populations<float>;
template class populations<double>;
template class populations<float, directions_of_d3q7>;
template class populations<double, directions_of_d3q7>;

}  // namespace lattice_boltzmann
