#pragma once
#include <cstddef>
#include <map>
#include <optional>

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

}  // namespace onehop::stores
