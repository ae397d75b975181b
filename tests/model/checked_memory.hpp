#pragma once
/// A checked_memory takes the place of the memory that ranks share: what the library's endpoints do
/// there becomes operations of the machine.

#include <atomic>
#include <map>
#include <onehop/put.hpp>
#include <span>
#include <vector>

#include "model/protocols.hpp"
#include "transport/base/transport.hpp"
#include "transport/stores/signals.hpp"

namespace model {

/// A number stands where the library has an atomic. Its address says which one it is.
class number {
 public:
  std::uint64_t load(std::memory_order order) const;
  void store(std::uint64_t value, std::memory_order order);

 private:
  std::uint64_t unused_;
};

/// The memory of a job: of each rank a window and signals, of which addresses alone matter.
class ranks_memory {
 public:
  static constexpr onehop::memory_id windows = 0, signals = 1;

  ranks_memory(int ranks, std::size_t window_bytes, std::size_t signal_bytes, weakness broken);

  std::span<std::byte> share(onehop::memory_id id, int rank) const;

  /// The numbers of places come in the order in which they are first asked for.
  std::size_t plain_at(const std::byte* address) { return place_of(plains_, address); }
  std::size_t atomic_at(const number* address) { return place_of(atomics_, address); }
  /// Returns what the number is for: the word of the signals that it is in.
  enum class use { count, size, credit };
  use use_of(const number* address) const;

  const weakness broken;
  /// Bytes that are stored now are those of this exchange.
  std::uint64_t exchange = 0;
  /// These operations come after the next store to a count, in a protocol that is broken so.
  std::vector<operation> deferred;

 private:
  struct alignas(4096) page {
    std::byte bytes[4096];
  };
  template <class Address>
  static std::size_t place_of(std::map<Address, std::size_t>& places, Address address) {
    return places.try_emplace(address, places.size()).first->second;
  }

  std::vector<std::vector<page>> windows_, signals_;
  std::map<const std::byte*, std::size_t> plains_;
  std::map<const number*, std::size_t> atomics_;
};

/// What the endpoints use in place of onehop::stores::process_memory. The job in use is one at a
/// time.
struct checked_memory {
  using blocks = ranks_memory;
  using atomic = number;

  static void copy(const onehop::local_view& source, std::byte* target);
  static void stream(const onehop::local_view& source, std::byte* target);
  static void fence();

  static ranks_memory* in_use;
};

}  // namespace model
