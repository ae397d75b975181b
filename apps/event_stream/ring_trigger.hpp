#pragma once
/// A ring_trigger decides which events are kept, namely those whose hits lie on a ring.

#include "event_builder.hpp"
#include "event_table.hpp"
#include "ring_finder.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace event_stream {

/// A decision tells the first source whether an event is kept.
struct decision {
  static constexpr std::uint64_t most_event = ~std::uint64_t{0} >> 1U;
  std::uint64_t event : 63 = 0, kept : 1 = 0;
  std::uint64_t time_ns = 0;  ///< time stamp of the event
};
static_assert(sizeof(decision) == 16);

/// These are sums over all events and over the rings that were fitted.
struct trigger_account {
  std::uint64_t events = 0, rings = 0;           ///< all events, and those with a ring
  std::uint64_t kept_rings = 0, kept_noise = 0;  ///< events that were kept, with and without a ring
  std::uint64_t fitted = 0;  ///< rings whose pulls count; with several per event, those found with
                             ///< exactly their own hits
  /// For events with several rings, these count all rings, the rings that were found, and found
  /// rings that are not there.
  std::uint64_t true_rings = 0, found_rings = 0, false_rings = 0;
  /// These are the sums of (found - true) / error for centre x, y and radius, and the sums of its
  /// square.
  std::array<double, 3> pulls{}, pull_squares{};
};

class ring_trigger {
 public:
  /// Decides for up to `batch` events together.
  ring_trigger(const event_table& table, std::size_t batch);

  bool empty() const noexcept { return decisions_.empty(); }
  bool full() const noexcept { return decisions_.size() == batch_; }
  void add(const built_event& event);
  std::uint64_t hits() const noexcept { return hits_; }
  /// Returns ring_finder::looks.
  std::uint64_t looks() const noexcept { return finder_.looks(); }

  /// Fits the rings of the batch, and returns the decisions; valid until `clear`.
  std::span<const decision> decide();
  void clear();
  const trigger_account& account() const noexcept { return account_; }

 private:
  /// Returns how many lanes of a group have an event.
  std::size_t events_of(std::size_t group) const noexcept;
  void decide_group(std::size_t group);
  void decide_several(std::size_t group);
  void keep(std::size_t number, bool kept);
  void match(std::span<const found_ring> found, const table_event& truth);
  void add_pulls(const fitted_rings& found, std::size_t group);
  void add_pulls(const std::array<float, 3>& pulls);

  const event_table& table_;
  const ring_kernels kernels_;
  ring_finder finder_;
  std::size_t batch_;
  std::vector<ring_group> groups_;
  std::vector<decision> decisions_;
  std::vector<const table_event*> truths_;
  std::uint64_t hits_ = 0;
  trigger_account account_;
};

}  // namespace event_stream
