#include "io/gauge_reader.hpp"

#include <iomanip>
#include <onehop/error.hpp>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "io/gauge_format.hpp"

namespace onehop::io {
namespace {

constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 20;

gauge_layout read_layout(const input_file& file) {
  const std::string start = file.read_text(0, first_bytes_needed);
  if (start.empty()) file.fail("is empty; fetch it again");
  for (const gauge_format& format : gauge_formats()) {
    if (format.is(file, start)) return format.read(file);
  }
  std::ostringstream bytes;
  for (const char c : start.substr(0, 8)) {
    bytes << ' ' << std::hex << std::setw(2) << std::setfill('0')
          << static_cast<unsigned>(static_cast<unsigned char>(c));
  }
  file.fail(text("is not a gauge configuration; it has ", file.size(), " bytes and starts with",
                 bytes.str(), "; the formats are ", gauge_format_names(),
                 "; onehop convert makes one of HDF5 and .npy files"));
}

// The third row of an SU(3) matrix is the conjugate of the cross product of the other two.
void complete_third_row(link_matrix& u) noexcept {
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t a = (c + 1) % 3;
    const std::size_t b = (c + 2) % 3;
    const double re = (u[a].real() * u[3 + b].real() - u[a].imag() * u[3 + b].imag()) -
                      (u[b].real() * u[3 + a].real() - u[b].imag() * u[3 + a].imag());
    const double im = (u[a].real() * u[3 + b].imag() + u[a].imag() * u[3 + b].real()) -
                      (u[b].real() * u[3 + a].imag() + u[b].imag() * u[3 + a].real());
    u[6 + c] = {re, -im};
  }
}

}  // namespace

link_matrix load_link(const std::byte* from, const gauge_layout& layout) noexcept {
  const std::size_t width = layout.reals.bytes();
  link_matrix link;
  for (std::size_t k = 0; k < 3 * static_cast<std::size_t>(layout.stored_rows); ++k) {
    link[k] = {load_real(from + 2 * k * width, layout.reals),
               load_real(from + (2 * k + 1) * width, layout.reals)};
  }
  if (layout.stored_rows == 2) complete_third_row(link);
  return link;
}

gauge_reader::gauge_reader(input_file file, gauge_layout layout)
    : file_(std::move(file)), layout_(std::move(layout)) {
  partial_.kind = layout_.stated_checksum.kind;
}

gauge_reader gauge_reader::open(const std::string& path) {
  input_file file(path);
  gauge_layout layout = read_layout(file);
  return {std::move(file), std::move(layout)};
}

void gauge_reader::read(const site_block& block, const link_sink& sink) {
  if (layout_.order == site_order::odd_sites) {
    read_odd_sites(file_, layout_, block, sink);
  } else {
    read_sites(block, sink);
  }
}

void gauge_reader::read_sites(const site_block& block, const link_sink& sink) {
  const std::size_t site_bytes = layout_.site_bytes();
  const std::size_t link_bytes = site_bytes / 4;
  std::vector<std::byte> buffer;
  const auto visit = [&](std::uint64_t first, std::uint64_t count) {
    buffer.resize(count * site_bytes);
    file_.read(layout_.data_offset + first * site_bytes, buffer);
    partial_.add(first, buffer, site_bytes, layout_.reals.order);
    const std::byte* from = buffer.data();
    for (std::uint64_t s = 0; s < count; ++s) {
      const lattice_site site = site_at(layout_.extents, first + s);
      for (int mu = 0; mu < 4; ++mu, from += link_bytes) sink(site, mu, load_link(from, layout_));
    }
  };
  for_each_run(layout_.extents, block, buffer_bytes / site_bytes, visit);
}

void gauge_reader::verify(const partial_checksum& total) const {
  verify_checksum(file_.path(), layout_.stated_checksum, total);
}

}  // namespace onehop::io
