#include "io/scidac_field.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "io/lime_text.hpp"

namespace onehop::io {
namespace {

constexpr std::string_view file_type = "scidac-private-file-xml";
constexpr std::string_view user_file_type = "scidac-file-xml";
constexpr std::string_view field_type = "scidac-private-record-xml";
constexpr std::string_view user_field_type = "scidac-record-xml";
constexpr std::string_view data_type = "scidac-binary-data";
constexpr std::string_view ildg_type = "ildg-format";
constexpr std::array needed_types = {file_type, field_type, data_type, checksum_record};
constexpr std::string_view xml_start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
constexpr int most_numbers = 1 << 20;

bool is_wanted(std::string_view type) {
  return std::ranges::find(needed_types, type) != needed_types.end() || type == ildg_type;
}

lattice_site extents_of(const input_file& file, const lime_record& record) {
  const record_text xml(file, record);
  const auto parts = xml.find("volfmt");
  if (parts && *parts != "0") {
    file.fail("is one part of several (volfmt is not 0); join them with qio-convert-mesh-pfs");
  }
  const std::string_view written = xml.need("dims");
  std::istringstream words{std::string(written)};
  std::array<std::int64_t, 4> extents{};
  std::string more;
  for (auto& extent : extents) words >> extent;
  if (!words || words >> more) xml.refuse("dims", written, "four extents");
  return checked_extents(file, extents);
}

int small_number(const record_text& xml, std::string_view name) {
  const int number = xml.need_number<int>(name);
  if (number < 1 || number > most_numbers) xml.refuse(name, xml.need(name), "a likely number");
  return number;
}

scidac_field field_of(const input_file& file, const lime_record& record) {
  const record_text xml(file, record);
  for (const std::string_view name : {"recordtype", "globaldata"}) {
    const auto kind = xml.find(name);
    if (kind && *kind != "0") xml.refuse(name, *kind, "0, a field with all its sites");
  }
  scidac_field field;
  field.datatype = xml.need("datatype");
  const std::string_view precision = xml.need("precision");
  if (precision != "F" && precision != "D") xml.refuse("precision", precision, "F or D");
  field.bits = precision == "D" ? 64 : 32;
  field.colours = xml.find("colors") ? small_number(xml, "colors") : 3;
  field.spins = xml.find("spins") ? xml.need_number<int>("spins") : 0;
  const int type_bytes = small_number(xml, "typesize");
  field.objects = small_number(xml, "datacount");
  if (type_bytes % (2 * field.bits / 8) != 0) {
    xml.refuse("typesize", xml.need("typesize"), "a number of whole complex numbers");
  }
  field.object_numbers = type_bytes / (2 * field.bits / 8);
  if (field.objects > most_numbers / std::max(1, field.object_numbers)) {
    xml.refuse("datacount", xml.need("datacount"), "a likely number");
  }
  return field;
}

void take_data(const input_file& file, const lime_record& record, scidac_field& field) {
  std::uint64_t needed = field.site_bytes();
  bool fits = true;
  for (const int extent : field.extents) {
    fits = fits && !__builtin_mul_overflow(needed, static_cast<std::uint64_t>(extent), &needed);
  }
  if (!fits || record.bytes != needed) {
    file.fail(text("its LIME record '", record.type, "' has ", record.bytes, " bytes, but ",
                   extents_text(field.extents), " sites of ", field.site_bytes(),
                   " bytes need another number; the file is truncated or its header is damaged"));
  }
  field.data_offset = record.data_offset;
}

std::string file_xml(const lattice_site& extents) {
  return text(xml_start, "<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>",
              extents[0], ' ', extents[1], ' ', extents[2], ' ', extents[3],
              " </dims><volfmt>0</volfmt></scidacFile>");
}

std::string field_xml(const scidac_field& field) {
  const std::string spins = field.spins == 0 ? "" : text("<spins>", field.spins, "</spins>");
  return text(xml_start,
              "<scidacRecord><version>1.1</version><date></date><recordtype>0</recordtype>"
              "<datatype>",
              field.datatype, "</datatype><precision>", field.bits == 64 ? 'D' : 'F',
              "</precision><colors>", field.colours, "</colors>", spins, "<typesize>",
              field.object_numbers * 2 * field.bits / 8, "</typesize><datacount>", field.objects,
              "</datacount></scidacRecord>");
}

}  // namespace

bool has_scidac_field(const input_file& file, std::string_view first_bytes) {
  if (!starts_with_lime_magic(first_bytes)) return false;
  const auto directory = list_lime_records(file, is_wanted, {});
  const auto has = [&](std::string_view type) {
    return std::ranges::any_of(directory.records,
                               [&](const lime_record& record) { return record.type == type; });
  };
  return has(data_type) && !has(ildg_type);
}

scidac_contents read_scidac_contents(const input_file& file) {
  const auto directory = list_lime_records(file, is_wanted, needed_types);
  scidac_contents contents;
  std::optional<lattice_site> extents;
  std::optional<scidac_field> stated;
  const lime_record* checksum = nullptr;
  const auto finish = [&] {
    if (contents.fields.empty() || stated) return;
    contents.fields.back().checksum =
        read_scidac_checksum(file, directory, checksum, contents.warnings);
    checksum = nullptr;
  };
  bool open = false;
  for (const auto& record : directory.records) {
    if (record.type == file_type) {
      extents = extents_of(file, record);
    } else if (record.type == field_type) {
      if (open) finish();
      open = false;
      stated = field_of(file, record);
    } else if (record.type == data_type) {
      if (!extents || !stated) {
        file.fail(text("has a LIME record '", record.type, "' without '", file_type, "' and '",
                       field_type, "' before it; it is damaged or no file of QIO"));
      }
      stated->extents = *extents;
      take_data(file, record, *stated);
      contents.fields.push_back(std::move(*stated));
      stated.reset();
      open = true;
    } else if (record.type == checksum_record && open) {
      if (checksum != nullptr) file.fail("has two checksums of one field; it is damaged");
      checksum = &record;
    }
  }
  if (open) finish();
  if (contents.fields.empty()) file.fail("has no field; it is truncated or no file of QIO");
  warn_of_trailing(file, directory, contents.warnings);
  return contents;
}

gauge_frame scidac_frame_of(const scidac_field& field, std::string_view about) {
  const std::string title = text(xml_start, "<title>written by onehop</title>");
  const std::string said = text(xml_start, "<info>", about, "</info>");
  const std::uint64_t bytes = site_count(field.extents) * field.site_bytes();
  return {lime_record_text(file_type, file_xml(field.extents), lime_message::begins) +
              lime_record_text(user_file_type, title, lime_message::ends) +
              lime_record_text(field_type, field_xml(field), lime_message::begins) +
              lime_record_text(user_field_type, said, lime_message::continues) +
              lime_header(data_type, bytes, lime_message::continues),
          scidac_checksum_text(field.checksum)};
}

}  // namespace onehop::io
