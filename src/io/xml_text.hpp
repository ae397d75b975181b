#pragma once
/// Configuration files carry a few bytes of XML.

#include <optional>
#include <string_view>

namespace onehop::io {

/// Returns the text of the first element with this local name, blanks trimmed, whatever its
/// namespace prefix and attributes; nothing when there is no such element. It is made for headers
/// as they are found, so it accepts broken XML around the element; comments are skipped.
std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name) noexcept;

}  // namespace onehop::io
