#pragma once
/// A channel is a way to move the lines of a put between two caches.
///
/// All channels use one protocol: the bytes are stored first, then the count that announces them.
/// They differ only in what else is done with the lines, so two ranks may use different ones.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onehop::stores {

enum class channel {
  plain,      ///< stores and nothing else
  prefetch,   ///< once all has arrived, it is prefetched for reading, and the next targets for
              ///< writing
  demote,     ///< only the next targets are prefetched, and written lines are demoted to the shared
              ///< cache
  streaming,  ///< stores that bypass the caches
};
constexpr std::array<channel, 4> every_channel{channel::plain, channel::prefetch, channel::demote,
                                               channel::streaming};

std::string_view name(channel which) noexcept;
/// Returns one sentence about the channel.
std::string_view explain(channel which) noexcept;

/// A channel_table gives the channel for the number of bytes that a rank sends in one exchange of a
/// chain.
///
/// ONEHOP_CHANNELS writes it as words, "demote<=512,prefetch<=65536,plain/streaming". The first
/// part is for puts packed straight into the target, the second for puts copied from a source. If
/// there is only one part, it holds for both.
class channel_table {
 public:
  struct step {
    channel which;
    std::size_t up_to_bytes;
  };
  using steps = std::vector<step>;  ///< steps in ascending order; the last is without a limit

  /// The default table performed best where it was measured, on cores that share a cache.
  channel_table();
  /// Returns the table for cores that share no cache. A line takes so long to change its owner
  /// there that stores that bypass the caches are faster for larger puts.
  static channel_table between_far_cores();
  /// Returns the table for puts that take turns with those that come back, wherever the cores are.
  static const channel_table& in_turns();
  /// Reads a table from words. Throws usage_error saying what does not fit.
  static channel_table parse(std::string_view words);

  const step& choose(std::size_t bytes, bool copied) const;
  std::string words() const;

 private:
  channel_table(steps direct, steps copied);

  steps direct_, copied_;
};

}  // namespace onehop::stores
