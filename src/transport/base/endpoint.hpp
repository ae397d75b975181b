#pragma once
/// One rank's side of one committed chain on one transport. Nothing here blocks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace onehop {

/// Carries out the exchanges of one committed chain on one transport.
class endpoint {
 public:
  virtual ~endpoint();

  /// Begins exchange `exchange` at the first call: from here on its bank may be overwritten by
  /// others. Fires the puts whose targets are ready and returns true once all are fired; is called
  /// again until then. Allocates nothing, takes no lock.
  virtual bool start(std::uint64_t exchange) = 0;
  /// The first call of start for this exchange would fire all puts. Only asked between exchanges.
  virtual bool ready(std::uint64_t exchange) = 0;
  /// A put that start has not been able to fire.
  virtual bool fired(std::size_t put, std::uint64_t exchange) const = 0;

  /// The bytes of this arrival are visible. Acquires what the origin wrote before firing.
  virtual bool arrived(std::size_t arrival, std::uint64_t exchange) = 0;
  /// Number of the last exchange that this arrival was seen of; 0 for none.
  virtual std::uint64_t last_arrived(std::size_t arrival) const = 0;
  /// Of an arrival of variable size that is visible: the bytes it has brought.
  virtual std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const = 0;
  /// The source of the put may be reused. Says nothing about the target.
  virtual bool source_free(std::size_t put, std::uint64_t exchange) = 0;
  /// All arrivals are visible and all sources may be reused. No value where the endpoint has no
  /// quicker way to know than to ask for each.
  virtual std::optional<bool> complete(std::uint64_t) { return std::nullopt; }

  /// Where the caller of a packed put writes its bytes for `exchange`; the same for all odd and for
  /// all even ones.
  virtual std::byte* packing_memory(std::size_t put, std::uint64_t exchange) = 0;
  /// That memory is the target's own.
  virtual bool direct(std::size_t put) const = 0;
  /// That memory is best written with stores that pass the caches; start orders them.
  virtual bool streaming(std::size_t) const { return false; }
  /// The channel of this put and why it was chosen.
  virtual std::string describe(std::size_t put) const = 0;
};

}  // namespace onehop
