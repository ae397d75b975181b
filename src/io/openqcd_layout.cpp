#include <cmath>

#include "base/text.hpp"
#include "io/gauge_layout.hpp"

namespace onehop::io {
namespace {

// The header has the extents t, x, y, z and the average of Re tr of the plaquettes, all
// little-endian.
constexpr std::uint64_t openqcd_header_bytes = 24;
constexpr std::int32_t largest_plausible_extent = 4096;

struct openqcd_header {
  lattice_site extents;
  double plaquette;
};

openqcd_header decode(std::string_view bytes) noexcept {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  const auto extent = [&](std::size_t n) {
    return static_cast<std::int32_t>(load<std::uint32_t>(data + 4 * n, std::endian::little));
  };
  return {{extent(1), extent(2), extent(3), extent(0)},
          load_real(data + 16, {64, std::endian::little}) / 3.0};
}

}  // namespace

bool is_openqcd(const input_file&, std::string_view first_bytes) {
  if (first_bytes.size() < openqcd_header_bytes) return false;
  const auto header = decode(first_bytes);
  for (const int extent : header.extents) {
    if (extent < 1 || extent > largest_plausible_extent) return false;
  }
  return std::abs(header.plaquette) < 1.0 + 1e-9;
}

gauge_layout read_openqcd_layout(const input_file& file) {
  const auto header = decode(file.read_text(0, openqcd_header_bytes));
  gauge_layout layout;
  layout.format = "openQCD";
  layout.extents = header.extents;
  for (const int extent : layout.extents) {
    if (extent % 2 != 0) {
      file.fail(text("looks like an openQCD file of the lattice ", extents_text(layout.extents),
                     ", but openQCD has even extents only; the header is damaged"));
    }
  }
  layout.reals = {64, std::endian::little};
  layout.order = site_order::odd_sites;
  layout.data_offset = openqcd_header_bytes;
  layout.plaquette = stated_number{header.plaquette, 0};
  layout.warnings.push_back(
      text(file.path(), ": openQCD files have no checksum; only the plaquette can be compared"));
  check_data_end(file, layout);
  return layout;
}

gauge_frame openqcd_frame(const gauge_layout& layout) {
  gauge_frame frame;
  frame.head.resize(openqcd_header_bytes, '\0');
  auto* to = reinterpret_cast<std::byte*>(frame.head.data());
  std::size_t n = 0;
  for (const std::size_t d : {3, 0, 1, 2}) {
    store(to + 4 * n++, static_cast<std::uint32_t>(layout.extents[d]), std::endian::little);
  }
  const double plaquette = layout.plaquette ? layout.plaquette->value : 0;
  store_real(to + 16, 3.0 * plaquette, layout.reals);
  return frame;
}

}  // namespace onehop::io
