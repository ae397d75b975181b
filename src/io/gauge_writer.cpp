#include "io/gauge_writer.hpp"

#include <cmath>
#include <onehop/error.hpp>
#include <vector>

#include "base/text.hpp"
#include "io/gauge_reader.hpp"

namespace onehop::io {
namespace {

constexpr std::uint64_t sites_per_write = 2048;

std::string name_of(const lattice_site& site, int mu) {
  return text("the link in direction ", "xyzt"[mu], " at site (", site[0], ',', site[1], ',',
              site[2], ',', site[3], ')');
}

// The limit is far above the rounding of either precision, and far below the error of a third row
// that belongs to another matrix.
double third_row_allowed(int bits) noexcept { return bits == 32 ? 1e-5 : 1e-10; }

void check_third_row(const std::byte* stored, const link_matrix& link, const gauge_layout& layout,
                     const lattice_site& site, int mu) {
  const link_matrix completed = load_link(stored, layout);
  const double allowed = third_row_allowed(layout.reals.bits);
  for (std::size_t k = 6; k < 9; ++k) {
    const double away = std::abs(completed[k] - link[k]);
    if (away <= allowed) continue;
    throw numeric_error(text(name_of(site, mu),
                             " cannot be kept in two rows: the third row made "
                             "of them is ",
                             away, " away, more than ", allowed,
                             "; keep three rows, or write single precision"));
  }
}

void check_finite(const std::byte* stored, const link_matrix& link, const gauge_layout& layout,
                  const lattice_site& site, int mu) {
  const std::size_t width = layout.reals.bytes();
  for (std::size_t k = 0; k < 6 * static_cast<std::size_t>(layout.stored_rows); ++k) {
    if (std::isfinite(load_real(stored + k * width, layout.reals))) continue;
    const auto& entry = link[k / 2];
    throw numeric_error(text(name_of(site, mu), " has an entry (", entry.real(), ',', entry.imag(),
                             ") that ", layout.reals.bits, " bit cannot hold"));
  }
}

}  // namespace

void store_link(std::byte* to, const link_matrix& link, const gauge_layout& layout,
                const lattice_site& site, int mu) {
  const std::size_t width = layout.reals.bytes();
  for (std::size_t k = 0; k < 3 * static_cast<std::size_t>(layout.stored_rows); ++k) {
    store_real(to + 2 * k * width, link[k].real(), layout.reals);
    store_real(to + (2 * k + 1) * width, link[k].imag(), layout.reals);
  }
  if (layout.reals.bits == 32) check_finite(to, link, layout, site, mu);
  if (layout.stored_rows == 2) check_third_row(to, link, layout, site, mu);
}

gauge_writer::gauge_writer(const gauge_format& format, const gauge_shape& shape)
    : format_(format), layout_(plan_layout(format, shape)) {}

void gauge_writer::write(const staged_file& file, const site_block& block,
                         const link_source& source) {
  if (layout_.order == site_order::odd_sites) {
    write_odd_sites(file, layout_, block, source);
    return;
  }
  const std::size_t site_bytes = layout_.site_bytes();
  std::vector<std::byte> buffer;
  const auto visit = [&](std::uint64_t first, std::uint64_t count) {
    buffer.resize(count * site_bytes);
    std::byte* to = buffer.data();
    for (std::uint64_t s = 0; s < count; ++s) {
      const lattice_site site = site_at(layout_.extents, first + s);
      for (int mu = 0; mu < 4; ++mu, to += site_bytes / 4) {
        store_link(to, source(site, mu), layout_, site, mu);
      }
    }
    layout_.stated_checksum.add(first, buffer, site_bytes, layout_.reals.order);
    file.write(layout_.data_offset + first * site_bytes, buffer);
  };
  for_each_run(layout_.extents, block, sites_per_write, visit);
}

void gauge_writer::write_frame(const staged_file& file, const partial_checksum& total,
                               const gauge_means& means) const {
  gauge_layout layout = layout_;
  layout.stated_checksum = total;
  layout.plaquette = stated_number{means.plaquette, 0};
  layout.link_trace = stated_number{means.link_trace, 0};
  const gauge_frame frame = format_.frame(layout);
  file.write(0, frame.head);
  file.write(layout_.data_offset + site_count(layout_.extents) * layout_.site_bytes(), frame.tail);
}

}  // namespace onehop::io
