#include "transport/stores/channel_choice.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace onehop::stores {
namespace {

/// Limits of a round of two ranks, which takes about twice as long as a line from core to core:
/// from the first on, cores count as far from each other; beyond the second, which no line takes,
/// other programs had the cores.
constexpr double far_round_ns = 450, longest_round_ns = 2000;
/// First looks did best after these parts of a round, at a message and at the flag of a chain.
constexpr std::uint64_t message_part = 4, flag_part = 7;

}  // namespace

void measured_choice::set(std::string_view words) {
  table_ = channel_table::parse(words);
  why_ = "set by ONEHOP_CHANNELS or the program";
  chosen_by_user_ = true;
}

void measured_choice::autotune(const round_time& round) {
  autotuned_ = true;
  // The messages of the others are read one after the other, so that the time of one is a part of
  // the round.
  const auto others = static_cast<std::uint64_t>(std::max(ranks_ - 1, 1));
  const double ns = round.ns / static_cast<double>(others);
  if (crowded_ || ns > longest_round_ns) return;
  at_messages_ = first_look(round.ticks / others / message_part);
  at_flags_ = first_look(round.ticks / others / flag_part);
  far_ = ns >= far_round_ns;
  if (chosen_by_user_) return;
  table_ = far_ ? channel_table::between_far_cores() : channel_table();
  why_ = text("the built-in table for cores that are ", far_ ? "far" : "near",
              ": a message there and one back take ", std::lround(ns), " ns, from ",
              std::lround(far_round_ns), " ns on they are far");
}

}  // namespace onehop::stores
