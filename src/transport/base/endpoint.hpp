#pragma once
/// An endpoint is one rank's side of one committed chain on one transport. Nothing here blocks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace onehop {

/// An endpoint carries out the exchanges of one committed chain on one transport.
class endpoint {
 public:
  virtual ~endpoint();

  /// Begins exchange `exchange` at the first call: from here on its bank may be overwritten by
  /// others. Fires the puts whose targets are ready, except those that the plan holds back, and
  /// returns true once all are fired; it is called again until then. Allocates nothing, takes no
  /// lock.
  virtual bool start(std::uint64_t exchange) = 0;
  /// Returns whether the first call of start for this exchange would fire all puts. Called only
  /// between exchanges.
  virtual bool ready(std::uint64_t exchange) = 0;
  /// Returns whether start has fired this put of the exchange under way.
  virtual bool fired(std::size_t put, std::uint64_t exchange) const = 0;

  /// Returns whether the bytes of this arrival are visible. Acquires what the origin wrote before
  /// firing.
  virtual bool arrived(std::size_t arrival, std::uint64_t exchange) = 0;
  /// Returns the number of the last exchange in which this arrival was seen; 0 for none.
  virtual std::uint64_t last_arrived(std::size_t arrival) const = 0;
  /// Returns the bytes that an arrival of variable size, which is visible, has brought.
  virtual std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const = 0;
  /// Returns whether the source of the put may be reused, which says nothing about the target.
  virtual bool source_free(std::size_t put, std::uint64_t exchange) = 0;
  /// Returns whether all arrivals are visible and all sources may be reused; no value where the
  /// endpoint has no quicker way to know than to look at each.
  virtual std::optional<bool> complete(std::uint64_t) { return std::nullopt; }

  /// Returns where the caller of a packed put writes its bytes for `exchange`; the same for all odd
  /// and for all even ones.
  virtual std::byte* packing_memory(std::size_t put, std::uint64_t exchange) = 0;
  /// Returns where this arrival of `exchange` is read, the same for all odd and for all even ones;
  /// null where it is this rank's window.
  virtual const std::byte* arrival_memory(std::size_t, std::uint64_t) const { return nullptr; }
  /// Returns whether packing_memory is the target's own, or memory that the target reads.
  virtual bool direct(std::size_t put) const = 0;
  /// Returns whether packing_memory is best written with stores that bypass the caches; start
  /// orders them.
  virtual bool streaming(std::size_t) const { return false; }
  /// Describes the channel of this put and why it was chosen.
  virtual std::string describe(std::size_t put) const = 0;
};

}  // namespace onehop
