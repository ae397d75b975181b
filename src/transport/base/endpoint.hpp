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

  /// At its first call, begins exchange `exchange`: from then on, other ranks may overwrite its
  /// bank. Fires the puts whose targets are ready, except those that the plan holds back. Returns
  /// true once all are fired, and is called again until then. Allocates nothing and takes no lock.
  virtual bool start(std::uint64_t exchange) = 0;
  /// Returns whether the first call of start for this exchange would fire all puts. It is called
  /// only between exchanges.
  virtual bool ready(std::uint64_t exchange) = 0;
  /// Returns whether start has fired this put of the current exchange.
  virtual bool fired(std::size_t put, std::uint64_t exchange) const = 0;

  /// Returns whether the bytes of this arrival are visible. Acquires what the origin wrote before
  /// firing.
  virtual bool arrived(std::size_t arrival, std::uint64_t exchange) = 0;
  /// Returns the number of the last exchange in which this arrival was seen; 0 for none.
  virtual std::uint64_t last_arrived(std::size_t arrival) const = 0;
  /// Returns the number of bytes that a visible arrival of variable size has brought.
  virtual std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const = 0;
  /// Returns whether the source of the put may be reused; this says nothing about the target.
  virtual bool source_free(std::size_t put, std::uint64_t exchange) = 0;
  /// Returns whether all arrivals are visible and all sources may be reused. Returns no value if
  /// the endpoint has no faster way than to look at each of them.
  virtual std::optional<bool> complete(std::uint64_t) { return std::nullopt; }

  /// Returns where the caller of a packed put writes its bytes for `exchange`. All odd exchanges
  /// use one place, and all even exchanges use one place.
  virtual std::byte* packing_memory(std::size_t put, std::uint64_t exchange) = 0;
  /// Returns where this arrival of `exchange` is read. All odd exchanges use one place, and all
  /// even exchanges use one place. Null means this rank's window.
  virtual const std::byte* arrival_memory(std::size_t, std::uint64_t) const { return nullptr; }
  /// Returns whether packing_memory is the target's own memory, or memory that the target reads.
  virtual bool direct(std::size_t put) const = 0;
  /// Returns whether packing_memory is best written with stores that bypass the caches. start
  /// orders these stores.
  virtual bool streaming(std::size_t) const { return false; }
  /// Describes the channel of this put and why it was chosen.
  virtual std::string describe(std::size_t put) const = 0;
};

}  // namespace onehop
