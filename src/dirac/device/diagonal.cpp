#include "dirac/device/diagonal.hpp"

#include "dirac/device/row.hpp"

#include <vector>

namespace onehop::device {
namespace {

/// Writes blocks of one chirality in device layout; in the source they take every second group of
/// `Reals` doubles, starting at `from`.
template <class Stored, int Reals>
void write_blocks(const double* from, const field_view& to, std::int32_t sites) {
  for (std::int32_t site = 0; site < sites; ++site, from += 2 * Reals) {
    arithmetic<Stored> row[Reals];
    for (int k = 0; k < Reals; ++k) row[k] = static_cast<arithmetic<Stored>>(from[k]);
    close_row<Stored, Reals>(row, to, site, 0);
  }
}

template <class Stored>
void write_blocks(const double* from, bool general, const field_view& to, std::int32_t sites) {
  general ? write_blocks<Stored, 72>(from, to, sites) : write_blocks<Stored, 36>(from, to, sites);
}

}  // namespace

diagonal::diagonal(backend& where, stream& on, const lane_layout& layout, const gauge_field& links,
                   const dirac_operator& dirac, int threads, field_precision kind) {
  thread_team team(threads);
  const site_diagonal host(links, dirac, layout, field_precision::double_, team);
  const auto keep = [&](onehop::site_factor factor, std::int32_t sites, blocks& to) {
    if (factor.has_blocks()) upload(where, on, sites, factor, kind, to);
    factor.blocks = nullptr;
    return factor;
  };
  for (int parity = 0; parity < 2; ++parity) {
    numbers_[parity] = keep(host.factor(parity, false), layout.vectors(parity), blocks_[parity]);
  }
  inverse_numbers_ = keep(host.inverse(false), layout.vectors(site_diagonal::inverted), inverse_);
}

void diagonal::upload(backend& where, stream& on, std::int32_t sites,
                      const onehop::site_factor& from, field_precision kind, blocks& to) {
  const int numbers = from.general ? general_numbers : hermitian_numbers;
  const auto* doubles = reinterpret_cast<const double*>(from.blocks);
  for (std::size_t chirality = 0; chirality < 2; ++chirality) {
    const field& device = to[chirality].emplace(where, sites, numbers, kind);
    const std::size_t row_bytes = 2 * numbers * bytes_of_real(kind);
    std::vector<std::byte> rows(static_cast<std::size_t>(padded_sites(sites)) * row_bytes);
    std::vector<float> scales(static_cast<std::size_t>(sites));
    const field_view host{rows.data(), scales.data(), padded_sites(sites)};
    const double* first = doubles + chirality * 2 * numbers;
    if (kind == field_precision::double_) write_blocks<double>(first, from.general, host, sites);
    if (kind == field_precision::single) write_blocks<float>(first, from.general, host, sites);
    if (kind == field_precision::half) write_blocks<std::int16_t>(first, from.general, host, sites);
    on.copy_in(device.view().rows, rows.data(), rows.size());
    if (kind == field_precision::half) {
      on.copy_in(device.view().scales, scales.data(), scales.size() * sizeof(float));
    }
    on.synchronise();
  }
}

site_factor diagonal::on_device(const onehop::site_factor& factor, const blocks& of) noexcept {
  site_factor result{factor.scale, factor.twist, {}, factor.general, factor.adjoint};
  for (std::size_t chirality = 0; of[0] && chirality < 2; ++chirality) {
    result.blocks[chirality] = of[chirality]->view();
  }
  return result;
}

site_factor diagonal::factor(int parity, bool dagger) const noexcept {
  site_factor result = on_device(numbers_[parity], blocks_[parity]);
  if (dagger) result.twist = -result.twist;
  return result;
}

site_factor diagonal::inverse(bool dagger) const noexcept {
  site_factor result = on_device(inverse_numbers_, inverse_);
  if (dagger) result.twist = -result.twist;
  result.adjoint = dagger;
  return result;
}

}  // namespace onehop::device
