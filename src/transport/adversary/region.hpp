#pragma once
/// The ranks of an adversary's job expose this memory to each other.

#include <memory>
#include <span>
#include <vector>

#include "transport/base/transport.hpp"

namespace onehop::adversary {

/// Overwrites with garbage the bytes on which no rank may rely any more.
void poison(std::span<std::byte> bytes) noexcept;

class exposed_shares {
 public:
  explicit exposed_shares(int ranks);

  /// Does one rank's part of a collective expose. Throws resource_error beyond capacity_bytes.
  memory_id expose(int rank, std::size_t bytes);
  void withdraw(memory_id id, int rank) noexcept;
  std::span<std::byte> share(memory_id id, int rank) const;

  /// One rank may expose this many bytes in all, the same on every machine.
  static constexpr std::size_t capacity_bytes = std::size_t{256} << 20;

 private:
  struct page_deleter {
    void operator()(std::byte* pages) const noexcept;
  };
  struct block {
    std::unique_ptr<std::byte, page_deleter> pages;
    std::size_t bytes = 0, space = 0;
  };
  struct owner {
    std::size_t in_use = 0;
    std::vector<block> by_id, spare;
  };

  std::vector<owner> owners_;
};

}  // namespace onehop::adversary
