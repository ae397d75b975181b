#include "io/gauge_writer.hpp"

#include <algorithm>
#include <cctype>
#include <iomanip>
#include <onehop/error.hpp>
#include <sstream>
#include <vector>

#include "base/text.hpp"
#include "io/byte_order.hpp"
#include "io/lime.hpp"

namespace onehop::io {
namespace {

constexpr std::size_t site_bytes = 4 * 18 * sizeof(double);
constexpr std::uint64_t sites_per_write = 2048;

checksum_kind kind_of(std::string_view format) {
  std::string name(format);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (name == "NERSC") return checksum_kind::nersc;
  if (name == "ILDG") return checksum_kind::scidac;
  throw usage_error(
      text("cannot write gauge configurations as '", format, "'; the formats are NERSC and ILDG"));
}

// Eight digits always, so that the length of the header does not depend on the value.
std::string hex(std::uint32_t word) {
  std::ostringstream out;
  out << std::hex << std::setw(8) << std::setfill('0') << word;
  return std::move(out).str();
}

std::string nersc_header(const gauge_contents& contents, const partial_checksum& total) {
  std::ostringstream out;
  out << "BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = 4D_SU3_GAUGE_3x3\n";
  for (std::size_t d = 0; d < 4; ++d) {
    out << "DIMENSION_" << d + 1 << " = " << contents.extents[d] << '\n';
  }
  out << "CHECKSUM = " << hex(total.words[0]) << '\n' << std::fixed << std::setprecision(12);
  out << "LINK_TRACE = " << contents.link_trace << "\nPLAQUETTE = " << contents.plaquette << '\n';
  for (int d = 1; d <= 4; ++d) out << "BOUNDARY_" << d << " = PERIODIC\n";
  out << "FLOATING_POINT = IEEE64BIG\nEND_HEADER\n";
  return std::move(out).str();
}

std::string ildg_format_xml(const lattice_site& extents) {
  return text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ildgFormat xmlns=\"http://www.lqcd.org/ildg\""
      " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
      " xsi:schemaLocation=\"http://www.lqcd.org/ildg http://www.lqcd.org/ildg/filefmt.xsd\">\n"
      "  <version>1.0</version>\n  <field>su3gauge</field>\n  <precision>64</precision>\n  <lx>",
      extents[0], "</lx><ly>", extents[1], "</ly><lz>", extents[2], "</lz><lt>", extents[3],
      "</lt>\n</ildgFormat>\n");
}

std::string scidac_checksum_xml(const partial_checksum& total) {
  return text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scidacChecksum><version>1.0</version><suma>",
      hex(total.words[0]), "</suma><sumb>", hex(total.words[1]), "</sumb></scidacChecksum>\n");
}

std::string padded(std::string content) {
  content.append(lime_padding(content.size()), '\0');
  return content;
}

void store_link(std::byte* to, const link_matrix& link) noexcept {
  for (const auto& entry : link) {
    store(to, std::bit_cast<std::uint64_t>(entry.real()), std::endian::big);
    store(to + 8, std::bit_cast<std::uint64_t>(entry.imag()), std::endian::big);
    to += 16;
  }
}

}  // namespace

gauge_writer::gauge_writer(std::string_view format, const gauge_contents& contents)
    : contents_(contents) {
  partial_.kind = kind_of(format);
  data_offset_ = head(partial_).size();
}

std::uint64_t gauge_writer::data_bytes() const noexcept {
  return site_count(contents_.extents) * site_bytes;
}

std::string gauge_writer::head(const partial_checksum& total) const {
  if (partial_.kind == checksum_kind::nersc) return nersc_header(contents_, total);
  const std::string xml = ildg_format_xml(contents_.extents);
  return lime_header("ildg-format", xml.size(), lime_message::begins) + padded(xml) +
         lime_header("ildg-binary-data", data_bytes(), lime_message::continues);
}

std::string gauge_writer::tail(const partial_checksum& total) const {
  if (partial_.kind == checksum_kind::nersc) return {};
  const std::string xml = scidac_checksum_xml(total);
  return lime_header("scidac-checksum", xml.size(), lime_message::ends) + padded(xml);
}

void gauge_writer::write(const staged_file& file, const site_block& block,
                         const link_source& source) {
  std::vector<std::byte> buffer;
  const auto visit = [&](std::uint64_t first, std::uint64_t count) {
    buffer.resize(count * site_bytes);
    std::byte* to = buffer.data();
    for (std::uint64_t s = 0; s < count; ++s) {
      const lattice_site site = site_at(contents_.extents, first + s);
      for (int mu = 0; mu < 4; ++mu, to += site_bytes / 4) store_link(to, source(site, mu));
    }
    partial_.add(first, buffer, site_bytes, std::endian::big);
    file.write(data_offset_ + first * site_bytes, buffer);
  };
  for_each_run(contents_.extents, block, sites_per_write, visit);
}

void gauge_writer::write_frame(const staged_file& file, const partial_checksum& total) const {
  file.write(0, head(total));
  file.write(data_offset_ + data_bytes(), tail(total));
}

}  // namespace onehop::io
