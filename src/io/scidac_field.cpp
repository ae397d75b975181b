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
constexpr std::uint64_t longest_user_xml = 65536;
constexpr std::string_view whole_field = "0", some_slices = "2";  // kinds of records

bool is_wanted(std::string_view type) {
  return std::ranges::find(needed_types, type) != needed_types.end() || type == ildg_type ||
         type == user_file_type || type == user_field_type;
}

std::array<std::int64_t, 4> four_numbers(const record_text& xml, std::string_view name) {
  const std::string_view written = xml.need(name);
  std::istringstream words{std::string(written)};
  std::array<std::int64_t, 4> numbers{};
  std::string more;
  for (auto& number : numbers) words >> number;
  if (!words || words >> more) xml.refuse(name, written, "four numbers");
  return numbers;
}

lattice_site extents_of(const input_file& file, const lime_record& record) {
  const record_text xml(file, record);
  const auto parts = xml.find("volfmt");
  if (parts && *parts != "0") {
    file.fail("is one part of several (volfmt is not 0); join them with qio-convert-mesh-pfs");
  }
  return checked_extents(file, four_numbers(xml, "dims"));
}

int small_number(const record_text& xml, std::string_view name, int most) {
  const int number = xml.need_number<int>(name);
  if (number < 1 || number > most) xml.refuse(name, xml.need(name), "a likely number");
  return number;
}

void take_bounds(const record_text& xml, scidac_field& field) {
  const auto lower = four_numbers(xml, "hyperlower"), upper = four_numbers(xml, "hyperupper");
  bool fits = 0 <= lower[3] && lower[3] <= upper[3] && upper[3] < field.extents[3];
  for (std::size_t d = 0; d < 3; ++d)
    fits = fits && lower[d] == 0 && upper[d] == field.extents[d] - 1;
  if (!fits) {
    xml.refuse("hyperupper", xml.need("hyperupper"),
               text("the end of whole time slices of ", extents_text(field.extents)));
  }
  field.first_time = static_cast<int>(lower[3]);
  field.last_time = static_cast<int>(upper[3]);
}

void take_slices(const record_text& xml, scidac_field& field) {
  field.last_time = field.extents[3] - 1;
  for (const std::string_view name : {"recordtype", "globaldata"}) {
    const auto kind = xml.find(name);
    if (!kind || *kind == whole_field) continue;
    if (*kind != some_slices) xml.refuse(name, *kind, "0, a field, or 2, one on some time slices");
    take_bounds(xml, field);
  }
}

int colours_of(const record_text& xml, const scidac_field& field) {
  if (!xml.find("colors")) return field.object_numbers % 3 == 0 ? 3 : 0;
  const int colours = xml.need_number<int>("colors");
  if (colours < 0 || colours > most_site_numbers)
    xml.refuse("colors", xml.need("colors"), "a likely number");
  return colours;
}

scidac_field field_of(const input_file& file, const lime_record& record,
                      const lattice_site& extents) {
  const record_text xml(file, record);
  scidac_field field;
  field.extents = extents;
  take_slices(xml, field);
  field.datatype = xml.need("datatype");
  const std::string_view precision = xml.need("precision");
  if (precision != "F" && precision != "D") xml.refuse("precision", precision, "F or D");
  field.bits = precision == "D" ? 64 : 32;
  field.spins = xml.find("spins") ? xml.need_number<int>("spins") : 0;
  const int number_bytes = 2 * field.bits / 8;
  const int type_bytes = small_number(xml, "typesize", most_site_numbers * number_bytes);
  field.objects = small_number(xml, "datacount", most_site_numbers);
  if (type_bytes % number_bytes != 0) {
    xml.refuse("typesize", xml.need("typesize"), "a number of whole complex numbers");
  }
  field.object_numbers = type_bytes / number_bytes;
  field.colours = colours_of(xml, field);
  if (field.objects > most_site_numbers / std::max(1, field.object_numbers)) {
    xml.refuse("datacount", xml.need("datacount"), "a likely number");
  }
  return field;
}

void take_data(const input_file& file, const lime_record& record, scidac_field& field) {
  std::uint64_t needed = field.site_bytes();
  bool fits = true;
  for (const int extent : {field.extents[0], field.extents[1], field.extents[2],
                           field.last_time - field.first_time + 1}) {
    fits = fits && !__builtin_mul_overflow(needed, static_cast<std::uint64_t>(extent), &needed);
  }
  if (!fits || record.bytes != needed) {
    file.fail(text("its LIME record '", record.type, "' has ", record.bytes, " bytes, but ",
                   extents_text(field.extents), " sites of ", field.site_bytes(),
                   " bytes need another number; the file is truncated or its header is damaged"));
  }
  field.data_offset = record.data_offset;
}

/// A fields_reader processes the records in order.
class fields_reader {
 public:
  fields_reader(const input_file& file, const lime_directory& directory)
      : file_(file), directory_(directory) {}

  scidac_contents read() {
    for (const auto& record : directory_.records) take(record);
    if (stated_) file_.fail("ends before the numbers of its last field; it is truncated");
    finish_field();
    if (contents_.fields.empty()) file_.fail("has no field; it is truncated or no file of QIO");
    warn_of_trailing(file_, directory_, contents_.warnings);
    return std::move(contents_);
  }

 private:
  void take(const lime_record& record) {
    if (record.type == file_type) {
      extents_ = extents_of(file_, record);
    } else if (record.type == user_file_type) {
      contents_.xml = file_.read_text(record.data_offset, std::min(record.bytes, longest_user_xml));
    } else if (record.type == field_type) {
      begin_field(record);
    } else if (record.type == user_field_type && stated_) {
      stated_->xml = file_.read_text(record.data_offset, std::min(record.bytes, longest_user_xml));
    } else if (record.type == data_type) {
      take_field(record);
    } else if (record.type == checksum_record && open_) {
      if (checksum_ != nullptr) file_.fail("has two checksums of one field; it is damaged");
      checksum_ = &record;
    }
  }

  void begin_field(const lime_record& record) {
    finish_field();
    if (stated_) file_.fail("has a field without numbers before another one; it is damaged");
    if (!extents_) refuse_order(record);
    stated_ = field_of(file_, record, *extents_);
  }

  void take_field(const lime_record& record) {
    if (!stated_) refuse_order(record);
    take_data(file_, record, *stated_);
    contents_.fields.push_back(std::move(*stated_));
    stated_.reset();
    open_ = true;
  }

  void finish_field() {
    if (!open_) return;
    std::vector<std::string> warnings;
    contents_.fields.back().checksum = read_scidac_checksum(file_, directory_, checksum_, warnings);
    // One such warning is enough; many fields need not repeat it.
    if (contents_.warnings.empty()) contents_.warnings = std::move(warnings);
    checksum_ = nullptr;
    open_ = false;
  }

  [[noreturn]] void refuse_order(const lime_record& record) const {
    file_.fail(text("has a LIME record '", record.type, "' without '", file_type, "' and '",
                    field_type, "' before it; it is damaged or no file of QIO"));
  }

  const input_file& file_;
  const lime_directory& directory_;
  scidac_contents contents_;
  std::optional<lattice_site> extents_;
  std::optional<scidac_field> stated_;
  const lime_record* checksum_ = nullptr;
  bool open_ = false;  // The last field has its numbers; its checksum may still come.
};

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
  return fields_reader(file, directory).read();
}

}  // namespace onehop::io
