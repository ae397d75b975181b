#pragma once
/// An application's program joins its job, reads its arguments and reports errors.

#include <onehop/context.hpp>

#include <charconv>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace app_common {

using words = std::vector<std::string_view>;

/// Reads a number that makes up the whole text; throws std::invalid_argument otherwise.
template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("'" + std::string(text) + "' is not a number of the right kind");
  return value;
}

/// Reads a number that is at least `least`.
template <class Number>
Number number(std::string_view text, Number least) {
  const auto value = number<Number>(text);
  if (!(value >= least))
    throw std::invalid_argument("'" + std::string(text) + "' is less than " +
                                std::to_string(least));
  return value;
}

/// Calls `run` with the job and the program's arguments, and returns its result, the program's exit
/// status. An exception becomes one line that begins with the program's `name`, and the status 2.
template <class Run>
int run_program(const char* name, int count, char** given, const Run& run) {
  try {
    const onehop::context job = onehop::join();
    try {
      return run(job, words(given + 1, given + count));
    } catch (const std::exception& error) {
      job.abandon(error.what());
      throw;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace app_common
