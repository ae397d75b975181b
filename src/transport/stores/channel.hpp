#pragma once
/// The ways in which the lines of a put travel between two caches, and which is taken when.
///
/// All keep to one protocol: the bytes, then the count that says so. They differ in what is done
/// with the lines besides, so that two ranks need not agree.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onehop::stores {

enum class channel {
  plain,      ///< stores, nothing else
  prefetch,   ///< once all has arrived, it and the next targets are asked for, to read and to write
  demote,     ///< only the next targets are, and what was written is sent on to the shared cache
  streaming,  ///< stores that pass the caches
};
constexpr std::array<channel, 4> every_channel{channel::plain, channel::prefetch, channel::demote,
                                               channel::streaming};

std::string_view name(channel which) noexcept;
/// One sentence.
std::string_view explain(channel which) noexcept;

/// Which channel is taken for how many bytes that a rank sends in one exchange of a chain.
///
/// In words, as ONEHOP_CHANNELS has it: "demote<=512,prefetch<=65536,plain/streaming"; the first
/// part is for puts packed straight into the target, the second for those copied from a source.
/// One part alone holds for both.
class channel_table {
 public:
  struct step {
    channel which;
    std::size_t up_to_bytes;
  };
  using steps = std::vector<step>;  ///< ascending; the last is without a limit

  /// What has done best where it was measured, on cores that share a cache.
  channel_table();
  /// The same for cores that do not: there a line takes so long to change its owner that larger
  /// puts had better pass the caches.
  static channel_table between_far_cores();
  /// Throws usage_error saying what does not fit.
  static channel_table parse(std::string_view words);

  const step& choose(std::size_t bytes, bool copied) const;
  std::string words() const;

 private:
  channel_table(steps direct, steps copied);

  steps direct_, copied_;
};

}  // namespace onehop::stores
