#include "particles.hpp"

#include <algorithm>
#include <cstring>

namespace particle_in_cell {
namespace {

constexpr auto steps_of_codes = [] {
  std::array<std::array<int, 3>, 27> steps{};
  for (int code = 0; code < 27; ++code) steps[static_cast<std::size_t>(code)] = step_of_code(code);
  return steps;
}();

/// Copies numbers that do not overlap. Runs are a few particles long, for which a call of memmove
/// takes longer than the copy itself.
template <class Number>
void copy_run(const Number* from, std::size_t count, Number* to) noexcept {
  constexpr std::size_t together = 4;
  std::size_t at = 0;
  for (; at + together <= count; at += together)
    std::memcpy(to + at, from + at, together * sizeof(Number));
  for (; at < count; ++at) std::memcpy(to + at, from + at, sizeof(Number));
}

/// Returns the place of the first particle from `at` on that goes to another cell, or `end`.
std::size_t next_mover(const std::uint8_t* to, std::size_t at, std::size_t end) noexcept {
  constexpr std::size_t together = 8;
  constexpr std::uint64_t all_stay = 0x0101010101010101 * code_of_staying;
  for (; at + together <= end; at += together) {
    std::uint64_t codes = 0;
    std::memcpy(&codes, to + at, together);
    if (codes != all_stay) break;
  }
  while (at < end && to[at] == code_of_staying) ++at;
  return at;
}

}  // namespace

void particles::arrays::resize(std::size_t count) {
  for (std::size_t mu = 0; mu < 3; ++mu) {
    offset[mu].resize(count);
    u[mu].resize(count);
  }
  id.resize(count);
}

particle particles::arrays::at(std::size_t place) const noexcept {
  particle found;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    found.offset[mu] = offset[mu][place];
    found.u[mu] = u[mu][place];
  }
  found.id = id[place];
  return found;
}

void particles::arrays::put(std::size_t place, const particle& what) noexcept {
  for (std::size_t mu = 0; mu < 3; ++mu) {
    offset[mu][place] = what.offset[mu];
    u[mu][place] = what.u[mu];
  }
  id[place] = what.id;
}

void particles::arrays::copy(std::size_t from, std::size_t count, arrays& other,
                             std::size_t to) const noexcept {
  for (std::size_t mu = 0; mu < 3; ++mu) {
    copy_run(offset[mu].data() + from, count, other.offset[mu].data() + to);
    copy_run(u[mu].data() + from, count, other.u[mu].data() + to);
  }
  copy_run(id.data() + from, count, other.id.data() + to);
}

particles::particles(const onehop::cartesian& ranks)
    : first_(ranks.local_volume() + 1), next_first_(first_.size()) {
  for (std::size_t mu = 0; mu < 3; ++mu) {
    extents_[mu] = ranks.local()[mu];
    around_[mu] = !ranks.distributed(static_cast<int>(mu));
  }
}

void particles::remove_in_layers(const onehop::cartesian& ranks, int cells) {
  all_kept_ = false;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    least_[mu] = 0;
    end_[mu] = extents_[mu];
  }
  for (int mu = 0; mu < ranks.dimensions(); ++mu) {
    const auto at = static_cast<std::size_t>(mu);
    least_[at] = cells - ranks.origin()[at];
    end_[at] = ranks.extents()[at] - cells - ranks.origin()[at];
  }
}

row_job particles::row(int y, int z) noexcept {
  row_job job{};
  for (std::size_t mu = 0; mu < 3; ++mu)
    job.particles.offset[mu] = now_.offset[mu].data(), job.particles.u[mu] = now_.u[mu].data();
  job.first = first_.data() + cell_number({0, y, z});
  job.cells = extents_[0];
  job.to = to_.data();
  return job;
}

std::size_t particles::cell_number(const std::array<std::int32_t, 3>& cell) const noexcept {
  return static_cast<std::size_t>(cell[0]) +
         static_cast<std::size_t>(extents_[0]) *
             (static_cast<std::size_t>(cell[1]) +
              static_cast<std::size_t>(extents_[1]) * static_cast<std::size_t>(cell[2]));
}

std::array<std::int32_t, 3> particles::after(const std::array<std::int32_t, 3>& cell,
                                             std::uint8_t code, int shift) const noexcept {
  std::array<std::int32_t, 3> next = cell;
  next[0] -= shift;
  const auto& step = steps_of_codes[code];
  for (std::size_t mu = 0; mu < 3; ++mu) {
    next[mu] += step[mu];
    if (!around_[mu]) continue;
    if (next[mu] < 0) next[mu] += extents_[mu];
    if (next[mu] >= extents_[mu]) next[mu] -= extents_[mu];
  }
  return next;
}

bool particles::inside(const std::array<std::int32_t, 3>& cell) const noexcept {
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (cell[mu] < 0 || cell[mu] >= extents_[mu]) return false;
  return true;
}

bool particles::kept(const std::array<std::int32_t, 3>& cell) const noexcept {
  if (all_kept_) return true;
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (cell[mu] < least_[mu] || cell[mu] >= end_[mu]) return false;
  return true;
}

template <class Work>
void particles::for_cells(const Work& work) const {
  std::size_t number = 0;
  for (int z = 0; z < extents_[2]; ++z)
    for (int y = 0; y < extents_[1]; ++y)
      for (int x = 0; x < extents_[0]; ++x) work(std::array<std::int32_t, 3>{x, y, z}, number++);
}

/// Calls `stays` with successive particles of a cell that the kernels left there, and `moves` with
/// each particle that they sent to another cell; both also receive the particles' new cell.
template <class Stays, class Moves>
void particles::for_steps(int shift, const Stays& stays, const Moves& moves) const {
  for_cells([&](const auto& cell, std::size_t number) {
    const std::size_t end = first_[number + 1];
    std::size_t begin = first_[number];
    if (begin == end) return;
    const auto rest = shift == 0 ? cell : after(cell, code_of_staying, shift);
    for (std::size_t at = begin; (at = next_mover(to_.data(), at, end)) < end; ++at) {
      if (at > begin) stays(rest, begin, at - begin);
      moves(at, after(cell, to_[at], shift));
      begin = at + 1;
    }
    if (end > begin) stays(rest, begin, end - begin);
  });
}

std::vector<traveller> particles::all() const {
  std::vector<traveller> found;
  for_cells([&](const auto& cell, std::size_t number) {
    for (std::size_t at = first_[number]; at < first_[number + 1]; ++at)
      found.push_back({now_.at(at), cell});
  });
  return found;
}

std::vector<traveller> particles::leavers(int shift) const {
  std::vector<traveller> found;
  if (around_[0] && around_[1] && around_[2]) return found;
  const auto leaves = [&](const auto& cell) { return !inside(cell) && kept(cell); };
  for_steps(
      shift,
      [&](const auto& cell, std::size_t at, std::size_t length) {
        for (std::size_t k = 0; leaves(cell) && k < length; ++k)
          found.push_back({now_.at(at + k), cell});
      },
      [&](std::size_t at, const auto& cell) {
        if (leaves(cell)) found.push_back({now_.at(at), cell});
      });
  return found;
}

void particles::sort(const std::vector<traveller>& arrivals, int shift) {
  std::fill(next_first_.begin(), next_first_.end(), 0);
  // Counts are stored one cell further, so that their sums become first numbers.
  const auto expect = [&](const auto& cell, std::size_t more) {
    if (!kept(cell))
      removed_ += more;
    else if (inside(cell))
      next_first_[cell_number(cell) + 1] += more;
  };
  for_steps(
      shift, [&](const auto& cell, std::size_t, std::size_t length) { expect(cell, length); },
      [&](std::size_t, const auto& cell) { expect(cell, 1); });
  for (const traveller& each : arrivals) expect(each.cell, 1);
  for (std::size_t cell = 1; cell < next_first_.size(); ++cell)
    next_first_[cell] += next_first_[cell - 1];
  next_.resize(next_first_.back());
  std::vector<std::size_t> place(next_first_.begin(), next_first_.end() - 1);
  const auto stays = [&](const auto& cell) { return inside(cell) && kept(cell); };
  for_steps(
      shift,
      [&](const auto& cell, std::size_t at, std::size_t length) {
        if (!stays(cell)) return;
        std::size_t& to = place[cell_number(cell)];
        now_.copy(at, length, next_, to);
        to += length;
      },
      [&](std::size_t at, const auto& cell) {
        if (stays(cell)) next_.put(place[cell_number(cell)]++, now_.at(at));
      });
  for (const traveller& each : arrivals)
    if (stays(each.cell)) next_.put(place[cell_number(each.cell)]++, each.what);
  std::swap(now_, next_);
  std::swap(first_, next_first_);
  to_.assign(count(), code_of_staying);
}

}  // namespace particle_in_cell
