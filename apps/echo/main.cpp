// echo BYTES [ROUNDS [VARIANT [ANSWER_BYTES]]] prints the times of rounds to the receiver and back.
// It runs under `onehop run -n 2 --` and under mpirun.
#include "echo.hpp"

#include <common/program.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

std::size_t number(std::string_view text) {
  const auto value = app_common::number<std::size_t>(text);
  if (value < 1) throw std::invalid_argument("a number of bytes or rounds is 0");
  return value;
}

/// Returns 1 if a word came back wrong.
int run(const onehop::context& job, const app_common::words& words) {
  if (words.empty() || words.size() > 4)
    throw std::invalid_argument("1 to 4 words are needed: BYTES [ROUNDS [VARIANT [ANSWER_BYTES]]]");
  constexpr std::size_t word_bytes = sizeof(echo::word);
  echo::shape of{.words = (number(words[0]) + word_bytes - 1) / word_bytes};
  of.answer = words.size() > 3 ? (number(words[3]) + word_bytes - 1) / word_bytes : of.words;
  if (words.size() > 2) of.how = echo::variant_named(words[2]);
  const std::size_t rounds = words.size() > 1 ? number(words[1]) : 1000;
  auto found = echo::run(job, of, 100, static_cast<int>(std::min<std::size_t>(rounds, 1 << 30)));
  std::uint64_t wrong = 0;
  for (const echo::round_report& one : found) wrong += one.wrong;
  std::ranges::sort(found, {}, &echo::round_report::time_us);
  if (job.rank() == 0)
    std::printf("%zu bytes %zu back: median %.3f us, least %.3f us\n", of.words * word_bytes,
                of.answer * word_bytes, found[found.size() / 2].time_us, found[0].time_us);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) { return app_common::run_program("echo", count, words, run); }
