#pragma once
/// The ranks of one arena expose this memory to each other.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/stores/arena.hpp"

namespace onehop::stores {

/// A block_allocator divides a range of offsets into blocks of whole pages, first fit. Every rank
/// keeps its own copy and makes the same calls, so that all agree without messages.
class block_allocator {
 public:
  block_allocator(std::size_t begin, std::size_t end);

  /// Allocates a multiple of a page. Returns no value when no gap is large enough.
  std::optional<std::size_t> allocate(std::size_t bytes);
  void free(std::size_t offset, std::size_t bytes);
  std::size_t largest_gap() const noexcept;

 private:
  std::map<std::size_t, std::size_t> gaps_;  ///< bytes of each gap by offset; neighbouring gaps are
                                             ///< merged
};

class exposed_blocks {
 public:
  /// The constructor takes the part of `memory` from `begin` to `end`, in which no page has been
  /// used yet.
  exposed_blocks(arena& memory, int rank, std::size_t begin, std::size_t end);

  memory_id expose(std::span<const std::size_t> bytes_of_rank);
  /// Sets a range of addresses aside for each group, as the share of its first rank. Only
  /// `head_bytes(members)` at its beginning are memory yet. Throws as expose does.
  memory_id set_aside(const partition& how,
                      const std::function<std::size_t(int members)>& head_bytes);
  void withdraw(memory_id id) noexcept;
  /// Returns any rank's share, as memory of this process.
  std::span<std::byte> share(memory_id id, int rank) const;

 private:
  struct block {
    std::size_t offset, bytes;
  };
  using blocks = std::vector<block>;  ///< the block of each rank; empty once withdrawn

  memory_id add(std::span<const std::size_t> bytes_of_rank, std::size_t mine_in_use);
  blocks allocate(std::span<const std::size_t> bytes_of_rank);
  void free(const blocks& shares);
  /// Returns the number by which messages call the rank.
  int name_of(std::size_t rank) const;

  arena& arena_;
  std::size_t rank_;
  block_allocator allocator_;
  std::vector<blocks> by_id_;
};

}  // namespace onehop::stores
