#include "dirac/hop_choice.hpp"

#include "base/text.hpp"
#include "base/words.hpp"

#include <onehop/error.hpp>

namespace onehop {
namespace {

[[noreturn]] void refuse(std::string_view word) {
  throw usage_error(text("way of a hop '", word,
                         "': give order:YxZxT with numbers of pieces, write:past or write:kept, "
                         "ahead:vector or ahead:direction, links:once or links:twice"));
}

std::array<int, 3> pieces_of(std::string_view value, std::string_view word) {
  std::array<int, 3> pieces{};
  for (int& count : pieces) {
    count = number_from<int>(take_until(value, 'x')).value_or(0);
    if (count < 1) refuse(word);
  }
  if (!value.empty()) refuse(word);
  return pieces;
}

hop_choice::answer answer_of(std::string_view value, std::string_view no, std::string_view yes,
                             std::string_view word) {
  if (value == yes) return hop_choice::answer::yes;
  if (value != no) refuse(word);
  return hop_choice::answer::no;
}

std::string_view name_of(dslash kind) {
  return is_improved(kind) ? "naik" : is_staggered(kind) ? "staggered" : "wilson";
}

std::string_view name_of(field_precision precision) {
  return precision == field_precision::double_  ? "double"
         : precision == field_precision::single ? "single"
                                                : "half";
}

}  // namespace

hop_choice hop_choice::parse(std::string_view words) {
  hop_choice result;
  while (!words.empty()) {
    const std::string_view word = take_until(words, ',');
    std::string_view value = word;
    const std::string_view what = take_until(value, ':');
    if (what == "order") {
      result.pieces = pieces_of(value, word);
    } else if (what == "write") {
      result.past_caches = answer_of(value, "kept", "past", word);
    } else if (what == "ahead") {
      result.vector_ahead = answer_of(value, "direction", "vector", word);
    } else if (what == "links") {
      result.links_once = answer_of(value, "twice", "once", word);
    } else {
      refuse(word);
    }
  }
  return result;
}

std::string hop_name(dslash kind, field_precision precision, int recon, const geometry& geometry,
                     int threads) {
  return text(name_of(kind), "/", name_of(precision), "/", recon, "/",
              to_string(geometry.lattice()), "/", to_string(geometry.grid()), "/", threads);
}

}  // namespace onehop
