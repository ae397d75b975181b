#pragma once
/// A handshake carries one transfer: it consists of the messages that the protocol needs for it,
/// and of what each of them waits for.
///
///     direct        data
///     pipelined     data, in blocks
///     call          request ->, data right behind it
///     rendezvous    request ->, <- grant, data
///     grant/put     <- grant as soon as the target expects them, data
///     credit/put    data, held by the target's adapter until the target has given it a credit
///     PSCW          <- grant (post), data, notice (complete)
///
/// The machine gives the cost of a message, including copies to pinned memory and software.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "netsim/workload/dispatcher.hpp"
#include "netsim/workload/routes.hpp"

namespace onehop::netsim {

/// A parcel is a message that a protocol carries from one rank to another.
struct parcel {
  int origin = 0, target = 0;
  std::size_t bytes = 0;
  const protocol* way = nullptr;
  bool first_of_chain = true;
  std::uint64_t address = 0;  ///< address at the target
  std::size_t rows = 1;       ///< rows of its source
};

/// Returns how many messages a protocol needs for `bytes` bytes, control messages included.
std::uint64_t messages_of(const protocol& way, std::size_t bytes);

/// A recipient is told about parcels, by the keys with which they were sent.
class recipient {
 public:
  virtual ~recipient() = default;
  virtual void left(std::uint64_t key) = 0;  ///< the parcel's source may be overwritten
  virtual void came(std::uint64_t key) = 0;
};

/// The handshakes carry parcels by the complete protocol for their size. Both sides name a parcel
/// by the same key, which is unique until the parcel has come.
class handshakes final : public receiver {
 public:
  handshakes(dispatcher& messages, const routes& ways, recipient& who)
      : dispatcher_(messages), ways_(ways), who_(who) {}

  /// Declares that the target has room for the parcel, before or after send. It matters to
  /// protocols in which the target announces this.
  void expect(std::uint64_t key, int origin, int target, const protocol& way);
  void send(std::uint64_t key, const parcel& what);
  /// Returns what the network carried: control messages and blocks.
  std::uint64_t messages() const noexcept { return messages_; }
  /// Returns the memory of parcels in flight.
  std::size_t memory_bytes() const noexcept { return all_.memory_bytes() + kept_.memory_bytes(); }

  void source_free(std::uint32_t name) override;
  void delivered(std::uint32_t name) override;
  void reminded(std::uint32_t) override {}

 private:
  enum class part : std::uint32_t { data, notice, request, grant, credit };
  /// A handshake records how far one parcel has come. Every message in flight has one, so data
  /// needed only by a parcel that waits for its grant are kept elsewhere.
  struct handshake {
    std::uint64_t key = 0;
    const protocol* way = nullptr;
    int origin = 0, target = 0;
    std::uint32_t unread = 0, undelivered = 0;  ///< numbers of blocks
    std::uint32_t kept = no_index;              ///< number of its kept_parcel
    // These say whether each of the two sides has begun it.
    bool sent : 1 = false, expected : 1 = false;
    // These say whether control messages have come, and whether the target has given its credit.
    bool requested : 1 = false, is_granted : 1 = false, is_let_in : 1 = false;
    // These say whether the parcel is at the target's adapter, and in its memory.
    bool came : 1 = false, here : 1 = false;

    void goes(int from, int to, const protocol& by) {
      origin = from;
      target = to;
      way = &by;
    }
  };
  static_assert(sizeof(handshake) == 40);
  struct kept_parcel {
    parcel what;
    std::uint32_t next = no_index;  // for the pool
  };

  static constexpr int part_bits = 3;
  static part part_of(std::uint32_t name) {
    return static_cast<part>(name & ((1U << part_bits) - 1));
  }
  static std::uint32_t name(part what, std::uint32_t slot) {
    return slot << part_bits | static_cast<std::uint32_t>(what);
  }
  std::uint32_t fresh(std::uint64_t key);
  std::uint32_t open(std::uint64_t key, const protocol& way);
  void close_if_over(std::uint32_t slot);
  void control(std::uint32_t slot, part what);
  void send_kept(std::uint32_t slot);
  void send_data(std::uint32_t slot, const parcel& what);
  void arrive(std::uint32_t slot);

  dispatcher& dispatcher_;
  const routes& ways_;
  recipient& who_;
  growing_array<handshake> all_;
  std::vector<std::uint32_t> unused_;
  pool<kept_parcel> kept_;
  /// These are parcels of protocols with a grant or a credit that only one side knows so far.
  std::unordered_map<std::uint64_t, std::uint32_t> half_open_;
  std::uint64_t messages_ = 0;
};

}  // namespace onehop::netsim
