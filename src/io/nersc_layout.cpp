#include <array>
#include <iomanip>
#include <map>
#include <sstream>

#include "base/text.hpp"
#include "io/gauge_layout.hpp"
#include "io/number_text.hpp"
#include "io/printable_text.hpp"

namespace onehop::io {
namespace {

constexpr std::string_view first_line = "BEGIN_HEADER";
constexpr std::string_view last_line = "END_HEADER";
constexpr std::string_view three_row_type = "4D_SU3_GAUGE_3x3";
constexpr std::string_view two_row_type = "4D_SU3_GAUGE";
constexpr std::uint64_t longest_header = 65536;

class nersc_header {
 public:
  explicit nersc_header(const input_file& file) : file_(file) {
    const std::string start = file.read_text(0, longest_header);
    std::size_t at = 0;
    for (;;) {
      const std::size_t end = start.find('\n', at);
      if (end == std::string::npos) {
        file.fail(text("has no END_HEADER line in its first ", start.size(),
                       " bytes; the file is truncated or its header is damaged"));
      }
      const auto line = trimmed(std::string_view(start).substr(at, end - at));
      at = end + 1;
      if (line == last_line) break;
      take(line);
    }
    bytes_ = at;
  }

  std::uint64_t bytes() const noexcept { return bytes_; }

  std::optional<std::string> find(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return found->second;
  }
  std::string need(const std::string& key) const {
    const auto value = find(key);
    if (!value) file_.fail(text("its header has no ", key, " line; the header is incomplete"));
    return *value;
  }
  [[noreturn]] void refuse(const std::string& key, std::string_view wanted) const {
    file_.fail(text("its header states ", key, " as '", need(key), "', which is not ", wanted));
  }
  std::optional<stated_number> number(const std::string& key) const {
    const auto written = find(key);
    if (!written) return std::nullopt;
    const auto value = real_from(*written);
    if (!value) refuse(key, "a finite number");
    return stated_number{*value, unit_of_last_digit(*written)};
  }

 private:
  void take(std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string key(trimmed(line.substr(0, equals)));
    const std::string value(trimmed(line.substr(equals + 1)));
    const auto [place, fresh] = entries_.emplace(key, value);
    if (!fresh && place->second != value) {
      file_.fail(text("its header states ", key, " twice, as '", place->second, "' and as '", value,
                      "'; the header is damaged"));
    }
  }

  const input_file& file_;
  std::map<std::string, std::string> entries_;
  std::uint64_t bytes_ = 0;
};

real_format reals_of(const nersc_header& header) {
  const std::string name = header.need("FLOATING_POINT");
  if (name == "IEEE32BIG" || name == "IEEE32") return {32, std::endian::big};
  if (name == "IEEE32LITTLE") return {32, std::endian::little};
  if (name == "IEEE64BIG" || name == "IEEE64") return {64, std::endian::big};
  if (name == "IEEE64LITTLE") return {64, std::endian::little};
  header.refuse("FLOATING_POINT", "IEEE32BIG, IEEE32LITTLE, IEEE64BIG or IEEE64LITTLE");
}

int rows_of(const nersc_header& header) {
  const std::string type = header.need("DATATYPE");
  if (type == three_row_type || type == "4D_SU3_GAUGE_3X3") return 3;
  if (type == two_row_type) return 2;
  header.refuse("DATATYPE", "4D_SU3_GAUGE_3x3 or 4D_SU3_GAUGE");
}

lattice_site extents_of(const input_file& file, const nersc_header& header) {
  std::array<std::int64_t, 4> extents{};
  for (std::size_t d = 0; d < 4; ++d) {
    const std::string key = text("DIMENSION_", d + 1);
    const auto extent = integer_from<std::int64_t>(header.need(key));
    if (!extent) header.refuse(key, "a whole number");
    extents[d] = *extent;
  }
  return checked_extents(file, extents);
}

void take_checksum(const input_file& file, const nersc_header& header, gauge_layout& layout) {
  const auto written = header.find("CHECKSUM");
  if (!written) {
    layout.warnings.push_back(
        text(file.path(), ": has no CHECKSUM line; damaged data would go unnoticed"));
    return;
  }
  const auto sum = integer_from<std::uint32_t>(*written, 16);
  if (!sum) header.refuse("CHECKSUM", "a 32-bit hexadecimal number");
  layout.stated_checksum = {checksum_kind::nersc, {*sum, 0}};
}

void warn_of_boundaries(const input_file& file, const nersc_header& header, gauge_layout& layout) {
  for (int d = 1; d <= 4; ++d) {
    const std::string key = text("BOUNDARY_", d);
    const auto kind = header.find(key);
    if (kind && *kind != "PERIODIC") {
      layout.warnings.push_back(text(file.path(), ": its header states ", key, " as '",
                                     printable(*kind), "'; the links are taken as stored"));
    }
  }
}

}  // namespace

bool is_nersc(const input_file&, std::string_view first_bytes) {
  return first_bytes.starts_with(first_line);
}

gauge_layout read_nersc_layout(const input_file& file) {
  const nersc_header header(file);
  gauge_layout layout;
  layout.format = "NERSC";
  layout.stored_rows = rows_of(header);
  layout.reals = reals_of(header);
  layout.extents = extents_of(file, header);
  layout.data_offset = header.bytes();
  layout.plaquette = header.number("PLAQUETTE");
  layout.link_trace = header.number("LINK_TRACE");
  take_checksum(file, header, layout);
  warn_of_boundaries(file, header, layout);
  check_data_end(file, layout);
  return layout;
}

gauge_frame nersc_frame(const gauge_layout& layout) {
  std::ostringstream out;
  out << first_line << "\nHDR_VERSION = 1.0\nDATATYPE = "
      << (layout.stored_rows == 2 ? two_row_type : three_row_type) << '\n';
  for (std::size_t d = 0; d < 4; ++d) {
    out << "DIMENSION_" << d + 1 << " = " << layout.extents[d] << '\n';
  }
  // The field is wide enough that a sign or a large value, from links outside SU(3), does not
  // change the length.
  const auto number = [&](const std::optional<stated_number>& stated) {
    out << std::scientific << std::setprecision(12) << std::setw(20)
        << (stated ? stated->value : 0.0) << '\n';
  };
  out << "CHECKSUM = " << hex(layout.stated_checksum.words[0]) << "\nLINK_TRACE = ";
  number(layout.link_trace);
  out << "PLAQUETTE = ";
  number(layout.plaquette);
  for (int d = 1; d <= 4; ++d) out << "BOUNDARY_" << d << " = PERIODIC\n";
  out << "FLOATING_POINT = IEEE" << layout.reals.bits
      << (layout.reals.order == std::endian::big ? "BIG" : "LITTLE") << '\n'
      << last_line << '\n';
  return {std::move(out).str(), {}};
}

}  // namespace onehop::io
