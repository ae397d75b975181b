#include "device/block_shapes.hpp"

#include <onehop/error.hpp>

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"

namespace onehop::device {
namespace {

constexpr std::array<std::string_view, 4> hop_names = {"wilson", "factored", "staggered", "far"};
constexpr std::array<std::string_view, 3> number_names = {"double", "single", "half"};
constexpr std::array<std::string_view, 3> reals_names = {"18", "12", "8"};

[[noreturn]] void refuse(std::string_view word) {
  throw usage_error(text("block shape '", word,
                         "': give KERNEL=THREADS with a kernel like wilson/single/12 or vectors "
                         "and 32, 64, 128 or 256 threads"));
}

std::size_t place_of(std::string_view name, std::string_view word) {
  for (std::size_t place = 0; place < block_shapes::kernels; ++place) {
    if (block_shapes::name(place) == name) return place;
  }
  refuse(word);
}

}  // namespace

std::string block_shapes::name(std::size_t place) {
  if (place == kernels - 1) return "vectors";
  return text(hop_names[place / 9], "/", number_names[place / 3 % 3], "/", reals_names[place % 3]);
}

block_shapes block_shapes::parse(std::string_view words) {
  block_shapes result;
  while (!words.empty()) {
    const std::string_view word = take_until(words, ',');
    std::string_view digits = word;
    const std::string_view kernel = take_until(digits, '=');
    const auto threads = number_from<int>(digits);
    if (!threads || std::ranges::find(choices, *threads) == choices.end()) refuse(word);
    result.set(place_of(kernel, word), *threads);
  }
  return result;
}

std::string block_shapes::words() const {
  std::string result;
  for (std::size_t place = 0; place < kernels; ++place) {
    if (threads(place) == standard) continue;
    if (!result.empty()) result += ',';
    result += text(name(place), "=", threads(place));
  }
  return result;
}

}  // namespace onehop::device
