#pragma once
/// This file defines the words that Python and the command line use for the values of options.

#include <onehop/error.hpp>
#include <onehop/solver_options.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace onehop {

/// option_words holds the name of an enumeration, and the words for its values in order.
template <class Enum>
struct option_words;

template <>
struct option_words<dslash> {
  static constexpr std::string_view what = "dslash";
  static constexpr std::array<std::string_view, 5> all = {"wilson", "clover", "staggered", "asqtad",
                                                          "hisq"};
};
template <>
struct option_words<boundary> {
  static constexpr std::string_view what = "boundary";
  static constexpr std::array<std::string_view, 2> all = {"antiperiodic", "periodic"};
};
template <>
struct option_words<overlap> {
  static constexpr std::string_view what = "overlap";
  static constexpr std::array<std::string_view, 3> all = {"none", "fused", "faces"};
};
template <>
struct option_words<precision> {
  static constexpr std::string_view what = "precision";
  static constexpr std::array<std::string_view, 4> all = {"double", "single", "half", "mixed"};
};
template <>
struct option_words<solver_kind> {
  static constexpr std::string_view what = "solver";
  static constexpr std::array<std::string_view, 4> all = {"cg", "bicgstab", "pipelined-cg",
                                                          "block-cg"};
};
template <>
struct option_words<device_choice> {
  static constexpr std::string_view what = "device";
  static constexpr std::array<std::string_view, 2> all = {"host", "cuda"};
};

template <class Enum>
constexpr std::string_view word_of(Enum value) {
  return option_words<Enum>::all[static_cast<std::size_t>(value)];
}

/// Returns the value of a word. Throws usage_error, which lists the words, for any other word.
template <class Enum>
Enum value_of(std::string_view word) {
  const auto& all = option_words<Enum>::all;
  const auto found = std::ranges::find(all, word);
  if (found != all.end()) return static_cast<Enum>(found - all.begin());
  std::string known;
  for (const std::string_view each : all) known += text(known.empty() ? "" : ", ", each);
  throw usage_error(text("unknown ", option_words<Enum>::what, " '", word, "'; choose ", known));
}

}  // namespace onehop
