#include "io/lime_text.hpp"

#include "io/number_text.hpp"

namespace onehop::io {
namespace {

constexpr auto none = std::string_view::npos;

// A name also ends at the next '<', so that each byte of a damaged text is examined for only one
// tag.
std::string_view local_name(std::string_view tag) noexcept {
  tag = tag.substr(0, tag.find_first_of(" \t\r\n/><"));
  const auto colon = tag.rfind(':');
  return colon == none ? tag : tag.substr(colon + 1);
}

constexpr std::uint64_t longest_xml = 65536;

// Throws if no checksum was found but the file is truncated or has an unreadable part that may have
// contained it.
void check_nothing_lost(const input_file& file, const lime_directory& directory) {
  if (directory.trailing_bytes != 0) {
    file.fail(
        text("its last ", directory.trailing_bytes,
             " bytes are not a LIME record, and no scidac-checksum record comes before them; the "
             "file is damaged, fetch it again"));
  }
  if (!directory.message_complete) {
    file.fail(
        "ends before the last record of its LIME message, without a scidac-checksum record; the "
        "file is truncated, fetch it again");
  }
}

}  // namespace

std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name) noexcept {
  for (auto open = xml.find('<'); open != none; open = xml.find('<', open + 1)) {
    const auto rest = xml.substr(open + 1);
    if (rest.starts_with("!--")) {
      const auto end = xml.find("-->", open);
      if (end == none) return std::nullopt;
      open = end;
      continue;
    }
    if (local_name(rest) != name) continue;
    const auto close = rest.find('>');
    if (close == none) return std::nullopt;
    const auto content = rest.substr(close + 1);
    const auto end = content.find('<');
    if (end == none || rest[close - 1] == '/') return std::string_view{};
    return trimmed(content.substr(0, end));
  }
  return std::nullopt;
}

record_text::record_text(const input_file& file, const lime_record& record)
    : file_(file), record_(record) {
  if (record.bytes > longest_xml) {
    file.fail(text("its LIME record '", record.type, "' has ", record.bytes,
                   " bytes, but no more than ", longest_xml, " make sense; the file is damaged"));
  }
  xml_ = file.read_text(record.data_offset, record.bytes);
}

std::optional<std::string_view> record_text::find(std::string_view name) const {
  return xml_element(xml_, name);
}

std::string_view record_text::need(std::string_view name) const {
  const auto written = find(name);
  if (!written) {
    file_.fail(text("its LIME record '", record_.type, "' has no <", name,
                    "> element; the header is incomplete"));
  }
  return *written;
}

void record_text::refuse(std::string_view name, std::string_view written,
                         std::string_view wanted) const {
  file_.fail(text("its LIME record '", record_.type, "' states <", name, "> as '", written,
                  "', which is not ", wanted));
}

partial_checksum read_scidac_checksum(const input_file& file, const lime_directory& directory,
                                      const lime_record* record,
                                      std::vector<std::string>& warnings) {
  if (record == nullptr) {
    check_nothing_lost(file, directory);
    warnings.push_back(
        text(file.path(), ": has no scidac-checksum record; damaged data would go unnoticed"));
    return {};
  }
  const record_text xml(file, *record);
  return {checksum_kind::scidac,
          {xml.need_number<std::uint32_t>("suma", 16), xml.need_number<std::uint32_t>("sumb", 16)}};
}

void warn_of_trailing(const input_file& file, const lime_directory& directory,
                      std::vector<std::string>& warnings) {
  if (directory.trailing_bytes == 0) return;
  warnings.push_back(text(file.path(), ": ignored ", directory.trailing_bytes,
                          " bytes after the last LIME record"));
}

std::string lime_record_text(std::string_view type, std::string_view content, lime_message part) {
  std::string record = lime_header(type, content.size(), part);
  record += content;
  record.append(lime_padding(content.size()), '\0');
  return record;
}

std::string scidac_checksum_text(const partial_checksum& total) {
  return lime_record_text(
      checksum_record,
      text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scidacChecksum><version>1.0</version>"
           "<suma>",
           hex(total.words[0]), "</suma><sumb>", hex(total.words[1]), "</sumb></scidacChecksum>\n"),
      lime_message::ends);
}

}  // namespace onehop::io
