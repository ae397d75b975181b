#include "transport/stores/channel_choice.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace onehop::stores {
namespace {

/// These are limits for a round of two ranks, which takes about twice as long as moving a line from
/// core to core. Above the first, the cores count as far from each other. No line takes longer than
/// the second; above it, other programs were using the cores.
constexpr double far_round_ns = 450, longest_round_ns = 2000;
/// First looks performed best after these fractions of a round, at a message and at a chain's flag.
constexpr std::uint64_t message_part = 4, flag_part = 7;

}  // namespace

void measured_choice::set(std::string_view words) {
  table_ = channel_table::parse(words);
  why_ = "set by ONEHOP_CHANNELS or the program";
  chosen_by_user_ = true;
}

void measured_choice::autotune(const round_time& round) {
  autotuned_ = true;
  // The messages of the others are read one after the other, so a single one takes only a part of
  // the round's time.
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
