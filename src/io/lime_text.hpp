#pragma once
/// LIME records contain XML, which includes the checksum.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "io/checksum.hpp"
#include "io/lime.hpp"
#include "io/number_text.hpp"

namespace onehop::io {

/// Returns the text of the first element with this local name, blanks trimmed, whatever its
/// namespace prefix and attributes; nothing if there is no such element. Headers found in practice
/// require it to accept broken XML around the element; comments are skipped.
std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name) noexcept;

inline constexpr std::string_view checksum_record = "scidac-checksum";

/// A record_text gives access to the elements of a record's XML. Every function throws file_error
/// naming record and element.
class record_text {
 public:
  record_text(const input_file& file, const lime_record& record);

  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view need(std::string_view name) const;
  template <class Integer>
  Integer need_number(std::string_view name, int base = 10) const {
    const std::string_view written = need(name);
    const auto value = integer_from<Integer>(written, base);
    if (!value) refuse(name, written, base == 16 ? "a 32-bit hexadecimal number" : "a number");
    return *value;
  }
  [[noreturn]] void refuse(std::string_view name, std::string_view written,
                           std::string_view wanted) const;

 private:
  const input_file& file_;
  const lime_record& record_;
  std::string xml_;
};

/// Reads what a scidac-checksum record states. Without one (`record` null) it adds a warning, or
/// throws file_error if the end of the file shows that the record may have been cut off.
partial_checksum read_scidac_checksum(const input_file& file, const lime_directory& directory,
                                      const lime_record* record,
                                      std::vector<std::string>& warnings);
/// Warns about bytes after the records.
void warn_of_trailing(const input_file& file, const lime_directory& directory,
                      std::vector<std::string>& warnings);

/// Returns a whole record: header, content, padding.
std::string lime_record_text(std::string_view type, std::string_view content, lime_message part);
/// Returns the checksum record, which is the last of its message.
std::string scidac_checksum_text(const partial_checksum& total);

}  // namespace onehop::io
