#pragma once
/// An echo sends words from a transmitter, rank 0, to a receiver, rank 1, which sends words back.

#include <onehop/context.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace echo {

using word = std::uint64_t;

/// A variant says what the receiver does with the words before it answers. Each does what the one
/// before it does, too.
enum class variant {
  transfer,  ///< nothing: it answers with words of its own
  copy,      ///< it copies them to the memory where it works, and answers with them
  kernel     ///< it computes the words of the answer from all that came
};
/// Returns the variant of this name; throws onehop::usage_error.
variant variant_named(std::string_view name);

struct shape {
  variant how = variant::transfer;
  std::size_t words = 4;   ///< that are sent
  std::size_t answer = 4;  ///< words that come back, as many as are sent unless a kernel makes them
};

struct round_report {
  double time_us = 0;       ///< from the start to the arrival of the answer, at the transmitter
  std::uint64_t wrong = 0;  ///< words that were not as they should be, at either rank
};

/// Returns the words that a round sends, and, by `transfer`, those that it answers.
word sent_word(std::uint64_t round, std::size_t place);
word own_word(std::uint64_t round, std::size_t place);
/// Computes word k of `answer` as the sum of words k, k + answer.size(), ... of `words`, each times
/// its place plus one.
void kernel(std::span<const word> words, std::span<word> answer);

/// A pair has two put chains, there and back, which are committed once.
class pair {
 public:
  /// The constructor is collective. Throws onehop::usage_error where the job has not two ranks, and
  /// for no words, or an answer of another size that no kernel makes.
  pair(const onehop::context& job, const shape& of);
  ~pair();
  pair(pair&&) noexcept;

  /// Sends and answers once; collective. Times are those of rank 0; each rank counts its wrong
  /// words.
  round_report run();

 private:
  struct chains;
  std::unique_ptr<chains> chains_;
};

/// Runs `unmeasured` rounds and then `rounds`; collective. Reports are rank 0's, which knows the
/// wrong words of both.
std::vector<round_report> run(const onehop::context& job, const shape& of, int unmeasured,
                              int rounds);

}  // namespace echo
