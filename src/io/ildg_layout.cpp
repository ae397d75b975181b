#include <array>

#include "base/text.hpp"
#include "io/gauge_layout.hpp"
#include "io/lime_text.hpp"

namespace onehop::io {
namespace {

constexpr std::string_view format_type = "ildg-format";
constexpr std::string_view data_type = "ildg-binary-data";
constexpr std::array needed_types = {format_type, data_type, checksum_record};

bool is_wanted(std::string_view type) {
  return type == format_type || type == checksum_record || type.ends_with("-binary-data");
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

// A checksum belongs to the binary record before it or, if there is none, to the next one: a file
// may hold other fields with checksums of their own.
ildg_records find_records(const input_file& file, const lime_directory& directory) {
  ildg_records found;
  const lime_record* binary = nullptr;
  const lime_record* early_checksum = nullptr;
  for (const auto& record : directory.records) {
    if (record.type == format_type) {
      set_once(file, found.format, record);
    } else if (record.type == checksum_record) {
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

void take_format(const input_file& file, const lime_record& record, gauge_layout& layout) {
  const record_text xml(file, record);
  const auto field = xml.find("field");
  if (field && *field != "su3gauge") xml.refuse("field", *field, "su3gauge");
  layout.reals.bits = xml.need_number<int>("precision");
  if (layout.reals.bits != 32 && layout.reals.bits != 64) {
    xml.refuse("precision", *xml.find("precision"), "32 or 64");
  }
  layout.extents = checked_extents(
      file, {xml.need_number<std::int64_t>("lx"), xml.need_number<std::int64_t>("ly"),
             xml.need_number<std::int64_t>("lz"), xml.need_number<std::int64_t>("lt")});
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

}  // namespace

// A LIME file is treated as an ILDG file unless it says that it is something else.
bool is_ildg(const input_file&, std::string_view first_bytes) {
  return starts_with_lime_magic(first_bytes);
}

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
  layout.stated_checksum = read_scidac_checksum(file, directory, records.checksum, layout.warnings);
  warn_of_trailing(file, directory, layout.warnings);
  return layout;
}

gauge_frame ildg_frame(const gauge_layout& layout) {
  const lattice_site& extents = layout.extents;
  const std::string xml = text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ildgFormat xmlns=\"http://www.lqcd.org/ildg\""
      " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
      " xsi:schemaLocation=\"http://www.lqcd.org/ildg http://www.lqcd.org/ildg/filefmt.xsd\">\n"
      "  <version>1.0</version>\n  <field>su3gauge</field>\n  <precision>",
      layout.reals.bits, "</precision>\n  <lx>", extents[0], "</lx><ly>", extents[1], "</ly><lz>",
      extents[2], "</lz><lt>", extents[3], "</lt>\n</ildgFormat>\n");
  const std::uint64_t bytes = site_count(extents) * layout.site_bytes();
  return {lime_record_text(format_type, xml, lime_message::begins) +
              lime_header(data_type, bytes, lime_message::continues),
          scidac_checksum_text(layout.stated_checksum)};
}

}  // namespace onehop::io
