#include "transport/stores/channel.hpp"

#include <algorithm>
#include <limits>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "base/words.hpp"
#include "machine/streaming.hpp"

namespace onehop::stores {
namespace {

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();
constexpr std::string_view below = "<=";

struct words_about {
  std::string_view name, explanation;
};
/// They are in the order of every_channel.
constexpr std::array<words_about, every_channel.size()> about{{
    {"plain", "stores"},
    {"prefetch", "stores into lines prefetched at the wait before, in turns with those that came"},
    {"demote", "stores into lines prefetched at the wait before, sent on to the shared cache"},
    {"streaming", "stores that pass the caches"},
}};

[[noreturn]] void refuse(std::string_view words, std::string_view where) {
  std::string names;
  for (const channel each : every_channel) names += text(names.empty() ? "" : ", ", name(each));
  throw usage_error(text("channels '", words, "': '", where,
                         "' does not fit; give steps such as demote<=512,prefetch<=65536,plain "
                         "with ascending bytes and a last one without, of ",
                         names));
}

channel_table::step parse_step(std::string_view words, std::string_view part) {
  const std::size_t end = part.find(below);
  const auto* const found =
      std::ranges::find(every_channel, part.substr(0, end), [](channel c) { return name(c); });
  if (found == every_channel.end()) refuse(words, part);
  if (end == part.npos) return {*found, any_size};
  const auto most = number_from<std::size_t>(part.substr(end + below.size()));
  if (!most) refuse(words, part);
  return {*found, *most};
}

channel_table::steps parse_steps(std::string_view words, std::string_view part) {
  channel_table::steps result;
  for (std::string_view rest = part; result.empty() || !rest.empty();) {
    result.push_back(parse_step(words, take_until(rest, ',')));
    const std::size_t count = result.size();
    if (count > 1 && result[count - 2].up_to_bytes >= result[count - 1].up_to_bytes)
      refuse(words, part);
  }
  if (result.back().up_to_bytes != any_size || part.ends_with(',')) refuse(words, part);
  return result;
}

std::string in_words(const channel_table::steps& steps) {
  std::string all;
  for (const auto& [which, bytes] : steps) {
    all += text(all.empty() ? "" : ",", name(which));
    if (bytes != any_size) all += text(below, bytes);
  }
  return all;
}

}  // namespace

std::string_view name(channel which) noexcept {
  return about[static_cast<std::size_t>(which)].name;
}

std::string_view explain(channel which) noexcept {
  return about[static_cast<std::size_t>(which)].explanation;
}

// Up to 512 bytes there are so few lines that they are demoted before the count is stored. Up to
// 65536 bytes the lines fit the first-level cache, where prefetched lines wait for their stores,
// and leave room for sources. Beyond that, prefetching costs more than it gains.
channel_table::channel_table()
    : channel_table(
          {{channel::demote, 512}, {channel::prefetch, 65536}, {channel::plain, any_size}},
          {{channel::demote, 512}, {channel::prefetch, 32768}, {channel::plain, any_size}}) {}

// Prefetching hides the latency of as many lines as there are miss buffers. For more lines
// streaming is faster, by a factor of seven for 8 faces of 24 KiB where a line takes 250 ns.
channel_table channel_table::between_far_cores() {
  const steps both{
      {channel::demote, 512}, {channel::prefetch, 8192}, {channel::streaming, any_size}};
  return {both, both};
}

// This rank was the last to read the lines, so a prefetch only takes the right to write from the
// core that wrote them. This helps for up to some sixty lines; for more it costs more than it
// gains.
const channel_table& channel_table::in_turns() {
  static const steps both{
      {channel::demote, 512}, {channel::prefetch, 4096}, {channel::plain, any_size}};
  static const channel_table table{both, both};
  return table;
}

channel_table::channel_table(steps direct, steps copied)
    : direct_(std::move(direct)), copied_(std::move(copied)) {}

channel_table channel_table::parse(std::string_view words) {
  std::string_view rest = words;
  steps direct = parse_steps(words, take_until(rest, '/'));
  const bool both = words.find('/') == words.npos;
  steps copied = both ? direct : parse_steps(words, rest);
  return {std::move(direct), std::move(copied)};
}

const channel_table::step& channel_table::choose(std::size_t bytes, bool copied) const {
  const steps& among = copied ? copied_ : direct_;
  return *std::ranges::find_if(among, [&](const step& s) { return bytes <= s.up_to_bytes; });
}

std::string channel_table::words() const { return in_words(direct_) + "/" + in_words(copied_); }

}  // namespace onehop::stores
