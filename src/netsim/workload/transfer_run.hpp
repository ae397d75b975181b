#pragma once
/// A transfer_run performs transfers that are known before it starts, such as a traffic pattern;
/// each may wait for others.

#include <cstdint>
#include <vector>

#include "netsim/workload/handshake.hpp"

namespace onehop::netsim {

/// A planned_transfer goes between the memories of two ranks, by the protocol for its size.
struct planned_transfer {
  int origin = 0, target = 0;
  std::size_t bytes = 0;
  std::size_t rows = 1;  ///< number of rows of its source
  bool first_of_chain = true;
  std::uint64_t address = 0;  ///< address at the target
  /// The transfer starts `delay` after the last of these, or after the start of the run: k means
  /// the delivery of transfer k, ~k means that its source is free.
  std::vector<std::int64_t> after = {};
  picoseconds delay = 0;
};

class transfer_run final : public receiver, public recipient {
 public:
  transfer_run(const machine_description& machine, const rank_memory& where,
               queue_kind how = queue_kind::ladder);

  /// Returns the number of the transfer. Throws usage_error for ranks that do not exist, for a size
  /// without a protocol, and if it waits for a transfer that has not been added.
  std::uint32_t add(const planned_transfer& what);
  /// Performs all transfers; every target is ready for all of them from the start. Checks
  /// conservation and returns the time when no event is left, which is when a second run begins.
  picoseconds run();
  /// These return, by transfer, when its source was free and when its data were delivered.
  [[nodiscard]] const std::vector<picoseconds>& freed() const noexcept { return freed_; }
  [[nodiscard]] const std::vector<picoseconds>& arrived() const noexcept { return arrived_; }
  [[nodiscard]] network& net() noexcept { return dispatcher_.net(); }

  void left(std::uint64_t key) override;
  void came(std::uint64_t key) override;
  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t) override {}
  void reminded(std::uint32_t number) override { handshakes_.send(number, entries_[number].what); }

 private:
  struct entry {
    parcel what;
    picoseconds delay = 0;
    std::uint32_t waits_for = 0;
    std::uint32_t to_come = 0;  ///< number of transfers that it still waits for
    std::vector<std::uint32_t> after_source = {}, after_delivery = {};  ///< those that wait for it
  };

  std::vector<std::uint32_t>& waiting_for(std::int64_t what);
  void start(std::uint32_t number);
  void pass(const std::vector<std::uint32_t>& waiting);

  int ranks_;
  dispatcher dispatcher_;
  routes ways_;
  handshakes handshakes_;
  std::vector<entry> entries_;
  std::vector<picoseconds> freed_, arrived_;
};

}  // namespace onehop::netsim
