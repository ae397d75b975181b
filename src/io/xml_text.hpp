#pragma once
/// The few bytes of XML that configuration files carry.

#include <optional>
#include <string_view>

namespace onehop::io {

/// The text of the first element with this local name, blanks trimmed, whatever its namespace
/// prefix and attributes. Made for headers as they are found, so it forgives broken XML around the
/// element; comments are skipped. Empty optional when there is no such element.
std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name) noexcept;

}  // namespace onehop::io
