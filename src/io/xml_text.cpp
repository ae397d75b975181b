#include "io/xml_text.hpp"

#include "io/number_text.hpp"

namespace onehop::io {
namespace {

constexpr auto none = std::string_view::npos;

// A name ends at the next '<' too, so that each byte of a damaged text is looked at for one tag
// only.
std::string_view local_name(std::string_view tag) noexcept {
  tag = tag.substr(0, tag.find_first_of(" \t\r\n/><"));
  const auto colon = tag.rfind(':');
  return colon == none ? tag : tag.substr(colon + 1);
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

}  // namespace onehop::io
