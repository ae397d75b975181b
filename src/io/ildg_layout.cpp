#include <array>

#include "base/text.hpp"
#include "io/gauge_layout.hpp"
#include "io/lime.hpp"
#include "io/number_text.hpp"
#include "io/xml_text.hpp"

namespace onehop::io {
namespace {

constexpr std::string_view format_type = "ildg-format";
constexpr std::string_view data_type = "ildg-binary-data";
constexpr std::string_view checksum_type = "scidac-checksum";
constexpr std::array needed_types = {format_type, data_type, checksum_type};
constexpr std::uint64_t longest_xml = 65536;

bool is_wanted(std::string_view type) {
  return type == format_type || type == checksum_type || type.ends_with("-binary-data");
}

struct ildg_records {
  const lime_record* format = nullptr;
  const lime_record* data = nullptr;
  const lime_record* checksum = nullptr;
};

void set_once(const input_file& file, const lime_record*& place, const lime_record& record) {
  if (place != nullptr) {
    file.fail(text("has two ", record.type, " records, at bytes ",
                   place->data_offset - lime_header_bytes, " and ",
                   record.data_offset - lime_header_bytes,
                   "; split it into files of one configuration each"));
  }
  place = &record;
}

// A checksum belongs to the binary record before it, or, when none is before it, to the next: a
// file may hold other fields with checksums of their own.
ildg_records find_records(const input_file& file, const lime_directory& directory) {
  ildg_records found;
  const lime_record* binary = nullptr;
  const lime_record* early_checksum = nullptr;
  for (const auto& record : directory.records) {
    if (record.type == format_type) {
      set_once(file, found.format, record);
    } else if (record.type == checksum_type) {
      if (binary == nullptr) set_once(file, early_checksum, record);
      if (binary != nullptr && binary == found.data) set_once(file, found.checksum, record);
    } else {
      if (record.type == data_type) set_once(file, found.data, record);
      if (binary == nullptr && found.data != nullptr) found.checksum = early_checksum;
      binary = &record;
    }
  }
  return found;
}

class record_text {
 public:
  record_text(const input_file& file, const lime_record& record) : file_(file), record_(record) {
    if (record.bytes > longest_xml) {
      file.fail(text("its LIME record '", record.type, "' has ", record.bytes,
                     " bytes, but no more than ", longest_xml, " make sense; the file is damaged"));
    }
    xml_ = file.read_text(record.data_offset, record.bytes);
  }

  std::optional<std::string_view> find(std::string_view name) const {
    return xml_element(xml_, name);
  }
  template <class Integer>
  Integer need(std::string_view name, int base = 10) const {
    const auto written = find(name);
    if (!written) {
      file_.fail(text("its LIME record '", record_.type, "' has no <", name,
                      "> element; the header is incomplete"));
    }
    const auto value = integer_from<Integer>(*written, base);
    if (!value) refuse(name, *written, base == 16 ? "a 32-bit hexadecimal number" : "a number");
    return *value;
  }
  [[noreturn]] void refuse(std::string_view name, std::string_view written,
                           std::string_view wanted) const {
    file_.fail(text("its LIME record '", record_.type, "' states <", name, "> as '", written,
                    "', which is not ", wanted));
  }

 private:
  const input_file& file_;
  const lime_record& record_;
  std::string xml_;
};

void take_format(const input_file& file, const lime_record& record, gauge_layout& layout) {
  const record_text xml(file, record);
  const auto field = xml.find("field");
  if (field && *field != "su3gauge") xml.refuse("field", *field, "su3gauge");
  layout.reals.bits = xml.need<int>("precision");
  if (layout.reals.bits != 32 && layout.reals.bits != 64) {
    xml.refuse("precision", *xml.find("precision"), "32 or 64");
  }
  layout.extents =
      checked_extents(file, {xml.need<std::int64_t>("lx"), xml.need<std::int64_t>("ly"),
                             xml.need<std::int64_t>("lz"), xml.need<std::int64_t>("lt")});
}

void take_data(const input_file& file, const lime_record& record, gauge_layout& layout) {
  const std::uint64_t needed = data_bytes(file, layout);
  if (record.bytes != needed) {
    file.fail(text("its LIME record '", record.type, "' has ", record.bytes, " bytes, but ",
                   extents_text(layout.extents), " links in ", layout.reals.bits, " bit need ",
                   needed, "; the file is truncated or its header is damaged"));
  }
  layout.data_offset = record.data_offset;
}

// Where no checksum is found it may be what was cut off or cannot be read.
void check_nothing_lost(const input_file& file, const lime_directory& directory) {
  if (directory.trailing_bytes != 0) {
    file.fail(text("its last ", directory.trailing_bytes,
                   " bytes are no LIME record and no scidac-checksum record comes before them; the "
                   "file is damaged, fetch it again"));
  }
  if (!directory.message_complete) {
    file.fail(
        "ends before the last record of its LIME message, without a scidac-checksum record; the "
        "file is truncated, fetch it again");
  }
}

void take_checksum(const input_file& file, const lime_directory& directory,
                   const lime_record* record, gauge_layout& layout) {
  if (record == nullptr) {
    check_nothing_lost(file, directory);
    layout.warnings.push_back(
        text(file.path(), ": has no scidac-checksum record; damaged data would go unnoticed"));
    return;
  }
  const record_text xml(file, *record);
  layout.stated_checksum = {
      checksum_kind::scidac,
      {xml.need<std::uint32_t>("suma", 16), xml.need<std::uint32_t>("sumb", 16)}};
}

}  // namespace

bool is_lime(std::string_view first_bytes) noexcept { return starts_with_lime_magic(first_bytes); }

gauge_layout read_ildg_layout(const input_file& file) {
  const auto directory = list_lime_records(file, is_wanted, needed_types);
  const auto records = find_records(file, directory);
  for (const auto& [record, type] :
       {std::pair{records.format, format_type}, std::pair{records.data, data_type}}) {
    if (record == nullptr) {
      file.fail(text("has no LIME record '", type, "' in its ",
                     file.size() - directory.trailing_bytes,
                     " bytes of records; it is truncated or no ILDG configuration"));
    }
  }
  gauge_layout layout;
  layout.format = "ILDG";
  take_format(file, *records.format, layout);
  take_data(file, *records.data, layout);
  take_checksum(file, directory, records.checksum, layout);
  if (directory.trailing_bytes != 0) {
    layout.warnings.push_back(text(file.path(), ": ignored ", directory.trailing_bytes,
                                   " bytes after the last LIME record"));
  }
  return layout;
}

}  // namespace onehop::io
