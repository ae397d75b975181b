#include "rma/halo/halo_pattern.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/halo/halo_check.hpp"

namespace onehop {
namespace {

/// Parts begin at cache lines, so that sites of any alignment may be read where they arrive.
constexpr std::size_t part_alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + part_alignment - 1) / part_alignment * part_alignment;
}

/// Returns true for a periodic dimension with one rank, for which a padded field copies its ghosts
/// from itself.
bool wraps(const halo_layout& layout, int mu) {
  const cartesian& ranks = layout.ranks();
  return layout.padded() && ranks.periodic(mu) && !ranks.distributed(mu);
}

/// Returns the side of a block on which a shift fills ghosts: data that goes up arrives below.
std::size_t side_filled(int step) { return step > 0 ? 0 : 1; }

int width_of(const halo_layout& layout, std::size_t mu, int step) {
  return layout.width(static_cast<int>(mu), static_cast<int>(side_filled(step)));
}

/// Returns the block's sites, cut in each dimension of the shift to the layers that it fills.
site_range cut_sites(const halo_layout& layout, const coordinate& steps) {
  site_range sites{{}, layout.ranks().local(), {}};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (steps[mu] == 0) continue;
    sites.cut[mu] = true;
    sites.count[mu] = width_of(layout, mu, steps[mu]);
  }
  return sites;
}

site_range sent_sites(const halo_layout& layout, const coordinate& steps) {
  site_range sites = cut_sites(layout, steps);
  for (std::size_t mu = 0; mu < 4; ++mu)
    if (steps[mu] > 0) sites.first[mu] = layout.ranks().local()[mu] - sites.count[mu];
  return sites;
}

/// If the field is not padded, the range has the same number of sites and shape, but lies in the
/// block.
site_range ghost_sites(const halo_layout& layout, const coordinate& steps) {
  site_range sites = cut_sites(layout, steps);
  for (std::size_t mu = 0; layout.padded() && mu < 4; ++mu)
    if (steps[mu] != 0)
      sites.first[mu] = steps[mu] > 0 ? -sites.count[mu] : layout.ranks().local()[mu];
  return sites;
}

/// Returns the largest number of bytes that any rank receives by this shift.
std::size_t most_bytes(const halo_memory& field, const coordinate& steps) {
  const cartesian& ranks = field.ranks();
  std::size_t bytes = field.site_bytes();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int longest = (ranks.extents()[mu] + ranks.grid()[mu] - 1) / ranks.grid()[mu];
    bytes *= static_cast<std::size_t>(steps[mu] == 0 ? longest
                                                     : width_of(field.layout(), mu, steps[mu]));
  }
  return bytes;
}

std::vector<coordinate> possible_shifts(const halo_layout& layout, bool corners) {
  std::vector<coordinate> result;
  const auto possible = [&](const coordinate& steps) {
    int dimensions = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (steps[mu] == 0) continue;
      ++dimensions;
      const auto axis = static_cast<int>(mu);
      if (axis >= layout.ranks().dimensions() || wraps(layout, axis)) return false;
      if (!layout.ranks().distributed(axis) && !layout.ranks().periodic(axis)) return false;
    }
    return dimensions == 1 || (corners && dimensions > 1);
  };
  coordinate s{};
  for (s[3] = -1; s[3] <= 1; ++s[3])
    for (s[2] = -1; s[2] <= 1; ++s[2])
      for (s[1] = -1; s[1] <= 1; ++s[1])
        for (s[0] = -1; s[0] <= 1; ++s[0])
          if (possible(s)) result.push_back(s);
  return result;
}

void check_fields(const std::vector<halo_memory*>& fields) {
  if (fields.empty()) throw usage_error("a halo exchange of no field; give it one or more");
  const halo_layout& first = fields.front()->layout();
  for (const halo_memory* field : fields) {
    const halo_layout& layout = field->layout();
    if (!(layout.ranks() == first.ranks()))
      throw usage_error(text("a halo exchange of fields of ", describe_lattice(first.ranks()),
                             " and of ", describe_lattice(layout.ranks()),
                             "; fields that travel together lie on one cartesian"));
    if (first.padded() != layout.padded())
      throw usage_error(
          "a halo exchange of padded fields and of others; give each kind an exchange");
  }
}

coordinate opposite(const coordinate& steps) {
  return {-steps[0], -steps[1], -steps[2], -steps[3]};
}

std::size_t end_of(const halo_shift& shift, std::size_t (*bytes)(const halo_part&)) {
  std::size_t end = shift.place;
  for (const halo_part& part : shift.parts)
    if (bytes(part) > 0) end = part.place + bytes(part);
  return end - shift.place;
}

}  // namespace

site_box::site_box(const halo_memory& field, const site_range& sites) {
  const halo_layout& layout = field.layout();
  const auto site_bytes = static_cast<std::ptrdiff_t>(field.site_bytes());
  begin = layout.index(sites.first) * field.site_bytes();
  runs.run_bytes = static_cast<std::size_t>(sites.count[0]) * field.site_bytes();
  const auto joins_next = [&](std::size_t mu) {
    return mu < 3 && !sites.cut[mu] && layout.stride(mu + 1) == layout.stride(mu) * sites.count[mu];
  };
  std::size_t* longest = &runs.run_bytes;
  std::size_t loops = 0;
  for (std::size_t mu = 1; mu < 4; ++mu) {
    if (!joins_next(mu - 1)) {
      runs.strides_bytes[loops] = layout.stride(mu) * site_bytes;
      longest = &runs.counts[loops++];
    }
    *longest *= static_cast<std::size_t>(sites.count[mu]);
  }
}

std::vector<local_view> site_box::views(const std::byte* field) const {
  std::vector<local_view> result;
  for (std::size_t c = 0; c < runs.counts[2]; ++c)
    for (std::size_t b = 0; b < runs.counts[1]; ++b) {
      const auto offset = static_cast<std::ptrdiff_t>(begin) +
                          static_cast<std::ptrdiff_t>(b) * runs.strides_bytes[1] +
                          static_cast<std::ptrdiff_t>(c) * runs.strides_bytes[2];
      result.push_back({field + offset, runs.run_bytes, runs.counts[0], runs.strides_bytes[0]});
    }
  return result;
}

std::size_t halo_shift::sent_bytes() const noexcept {
  return target < 0 ? 0 : end_of(*this, [](const halo_part& part) { return part.sent.bytes(); });
}

std::size_t halo_shift::received_bytes() const noexcept {
  return end_of(*this, [](const halo_part& part) { return part.received; });
}

halo_pattern::halo_pattern(const std::vector<halo_memory*>& fields, bool corners) {
  check_fields(fields);
  const cartesian& ranks = fields.front()->ranks();
  for (const coordinate& steps : possible_shifts(fields.front()->layout(), corners)) {
    halo_shift shift{steps, ranks.neighbour(steps), ranks.neighbour(opposite(steps)), bytes, {}};
    for (const halo_memory* field : fields) {
      const site_box sent(*field, sent_sites(field->layout(), steps));
      const site_box ghosts(*field, ghost_sites(field->layout(), steps));
      shift.parts.push_back({sent, ghosts, shift.origin < 0 ? 0 : ghosts.bytes(), bytes});
      bytes += aligned(most_bytes(*field, steps));
    }
    shifts.push_back(std::move(shift));
  }
}

std::optional<std::size_t> halo_pattern::find(const coordinate& steps) const noexcept {
  const auto found = std::ranges::find(shifts, steps, &halo_shift::steps);
  if (found == shifts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shifts.begin());
}

std::vector<halo_wrap> wraps_of(const halo_memory& field, bool corners) {
  const halo_layout& layout = field.layout();
  const cartesian& ranks = layout.ranks();
  // The cross-section of a layer includes the ghosts that were filled before it.
  site_range across{{}, ranks.local(), {}};
  const auto take_along = [&](int mu) {
    const auto axis = static_cast<std::size_t>(mu);
    const int below = ranks.neighbour(mu, -1) < 0 ? 0 : layout.width(mu, 0);
    const int above = ranks.neighbour(mu, 1) < 0 ? 0 : layout.width(mu, 1);
    across.first[axis] = -below;
    across.count[axis] += below + above;
  };
  for (int mu = 0; corners && mu < ranks.dimensions(); ++mu)
    if (!wraps(layout, mu)) take_along(mu);
  std::vector<halo_wrap> result;
  for (int mu = 0; mu < ranks.dimensions(); ++mu) {
    if (!wraps(layout, mu)) continue;
    const auto axis = static_cast<std::size_t>(mu);
    for (const int side : {0, 1}) {
      const int width = layout.width(mu, side), extent = ranks.local()[axis];
      if (width == 0) continue;
      site_range from = across, to = across;
      from.count[axis] = width;
      from.first[axis] = side == 0 ? extent - width : 0;
      to.first[axis] = side == 0 ? -width : extent;
      result.push_back(
          {{mu, side}, layout.index(to.first) * field.site_bytes(), site_box(field, from)});
    }
    if (corners) take_along(mu);
  }
  return result;
}

coordinate steps_into(face which) noexcept {
  coordinate steps{};
  steps[static_cast<std::size_t>(which.dimension)] = which.side == 0 ? 1 : -1;
  return steps;
}

}  // namespace onehop
