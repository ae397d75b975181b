#pragma once
/// A put is one transfer into another rank's window, as it is declared to a chain.

#include <onehop/detail/language.hpp>

#include <array>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

namespace onehop {

/// A local_view describes the bytes that a put sends: `blocks` pieces of `block_bytes` each, with
/// `stride_bytes` from the beginning of one piece to the next; the stride may be negative. The
/// pieces arrive contiguously, without gaps.
struct local_view {
  const std::byte* data = nullptr;
  std::size_t block_bytes = 0;
  std::size_t blocks = 1;
  std::ptrdiff_t stride_bytes = 0;

  static local_view contiguous(std::span<const std::byte> bytes) {
    return {bytes.data(), bytes.size(), 1, 0};
  }
  /// Temporaries are rejected at compile time, because their bytes would be gone before the put is
  /// started.
  template <class Range>
  requires(!std::is_lvalue_reference_v<Range> &&
           !std::ranges::borrowed_range<Range>) static local_view contiguous(Range&&) = delete;
  std::size_t bytes() const noexcept { return block_bytes * blocks; }
};

/// A strided_layout has runs of `run_bytes` that lie apart in up to three nested loops, the
/// innermost first. Loop k has `counts[k]` steps, each `strides_bytes[k]` after the previous one;
/// strides may be negative. The bytes of a put are laid out in this order.
struct strided_layout {
  std::size_t run_bytes = 0;
  std::array<std::size_t, 3> counts{1, 1, 1};
  std::array<std::ptrdiff_t, 3> strides_bytes{};

  /// Makes `blocks` runs at equal distances, as MPI_Type_vector lays them out.
  static strided_layout blocks(std::size_t run_bytes, std::size_t blocks,
                               std::ptrdiff_t stride_bytes) {
    return {run_bytes, {blocks, 1, 1}, {stride_bytes, 0, 0}};
  }
  /// Makes a box of `counts` items in an array of `extents` items, as MPI_Type_create_subarray lays
  /// it out; the last of up to four dimensions is contiguous in memory. The first item of the box
  /// lies at the put's remote_offset. Throws usage_error unless both have the same number of
  /// dimensions, from one to four, and the box fits.
  static strided_layout subarray(std::size_t item_bytes, std::span<const std::size_t> extents,
                                 std::span<const std::size_t> counts);

  std::size_t bytes() const noexcept { return run_bytes * counts[0] * counts[1] * counts[2]; }
};

/// A put describes a transfer; nothing moves before the chain is started.
struct put {
  /// The bytes to send are read between each start and its wait, or until put_chain::source_free
  /// returns true. The memory stays the caller's and must live that long. With `data == nullptr`
  /// the put is *packed*: before each start the caller writes `source.bytes()` bytes to
  /// put_chain::target_view.
  local_view source;
  int target = -1;
  /// The put arrives at this offset, in bytes, in a bank of the target's window. Any alignment
  /// works.
  std::size_t remote_offset = 0;
  /// If true, `source.bytes()` is the largest size that the put can send, and put_chain::set_bytes
  /// sets before a start how many bytes, counted from the first, are sent. Such a source is one
  /// contiguous block of host or device memory.
  bool variable = false;

  /// This describes how the bytes lie in the target's window from remote_offset on; without runs
  /// they are contiguous. A put of variable size cannot have runs, nor can a put of a chain with
  /// device memory.
  ///
  /// If any put of a chain has runs, the chain's puts arrive in separate memory, and the target
  /// copies them to its window in wait or test, as for a registered window.
  strided_layout remote = {};
  /// If this list is not empty, each run of remote.run_bytes begins at one of these offsets, in
  /// bytes from remote_offset and in any order, as with MPI_Type_create_hindexed_block. The list
  /// then replaces the loops of `remote`. push copies the list.
  std::span<const std::size_t> remote_starts = {};

  /// Makes a packed put: the caller writes its bytes directly where the transport takes them from.
  static put packed(std::size_t bytes, int target, std::size_t remote_offset) {
    return {{nullptr, bytes, 1, 0}, target, remote_offset};
  }
  /// Makes a packed put of variable size, of at most `most_bytes` bytes.
  static put packed_up_to(std::size_t most_bytes, int target, std::size_t remote_offset) {
    put made = packed(most_bytes, target, remote_offset);
    made.variable = true;
    return made;
  }
  /// Makes a put of variable size that sends at most these bytes.
  static put up_to(std::span<const std::byte> bytes, int target, std::size_t remote_offset) {
    return {local_view::contiguous(bytes), target, remote_offset, true};
  }
};

}  // namespace onehop
