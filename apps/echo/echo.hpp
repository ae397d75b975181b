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

/// A variant says what the receiver does with the words before it answers.
enum class variant {
  transfer,  ///< nothing: it answers with words of its own
  copy,      ///< it copies the words to the memory where it works, and answers with them
  kernel     ///< it copies the words, and computes the words of the answer from all of them
};
/// Returns the variant of this name; throws onehop::usage_error.
variant variant_named(std::string_view name);

struct shape {
  variant how = variant::transfer;
  std::size_t words = 4;   ///< words that are sent
  std::size_t answer = 4;  ///< words that come back; `copy` answers with as many as were sent
};

struct round_report {
  double time_us = 0;       ///< from the start to the arrival of the answer, at the transmitter
  std::uint64_t wrong = 0;  ///< words with a wrong value, at either rank
};

/// Return the words that a round sends, and those with which `transfer` answers.
word sent_word(std::uint64_t round, std::size_t place);
word own_word(std::uint64_t round, std::size_t place);
/// Computes word k of `answer` as the sum of words k, k + answer.size(), ... of `words`, each
/// multiplied by its place plus one.
void kernel(std::span<const word> words, std::span<word> answer);

/// A pair has two put chains, one in each direction, which are committed once.
class pair {
 public:
  /// The constructor is collective. Throws onehop::usage_error if the job does not have two ranks,
  /// if there are no words, or if a copy would answer with more or fewer words than were sent.
  pair(const onehop::context& job, const shape& of);
  ~pair();
  pair(pair&&) noexcept;

  /// Sends and answers once; collective. The time is that of rank 0; each rank counts the wrong
  /// words that it received.
  round_report run();

 private:
  struct chains;
  std::unique_ptr<chains> chains_;
};

/// Runs `unmeasured` rounds and then `rounds`; collective. The reports are those of rank 0, with
/// the wrong words of both ranks.
std::vector<round_report> run(const onehop::context& job, const shape& of, int unmeasured,
                              int rounds);

}  // namespace echo
