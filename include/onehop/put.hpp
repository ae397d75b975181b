#pragma once
/// A put is one transfer into another rank's window, as it is declared to a chain.

#include <onehop/detail/language.hpp>

#include <array>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

namespace onehop {

/// A local_view names the bytes that a put sends: `blocks` pieces of `block_bytes`, each
/// `stride_bytes` after the beginning of the one before; the stride may be negative. The pieces
/// arrive one behind the other, without gaps.
struct local_view {
  const std::byte* data = nullptr;
  std::size_t block_bytes = 0;
  std::size_t blocks = 1;
  std::ptrdiff_t stride_bytes = 0;

  static local_view contiguous(std::span<const std::byte> bytes) {
    return {bytes.data(), bytes.size(), 1, 0};
  }
  /// A temporary is refused, since its bytes would be gone before the put is fired.
  template <class Range>
  requires(!std::is_lvalue_reference_v<Range> &&
           !std::ranges::borrowed_range<Range>) static local_view contiguous(Range&&) = delete;
  std::size_t bytes() const noexcept { return block_bytes * blocks; }
};

/// A strided_layout has runs of `run_bytes` that lie apart in up to three loops, the innermost
/// first: loop k has `counts[k]` steps, each `strides_bytes[k]` from the one before, which may be
/// negative. The bytes of a put are laid out in this order.
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
  /// lies where the put's remote_offset says. Throws usage_error unless both have as many
  /// dimensions, one to four, and the box fits.
  static strided_layout subarray(std::size_t item_bytes, std::span<const std::size_t> extents,
                                 std::span<const std::size_t> counts);

  std::size_t bytes() const noexcept { return run_bytes * counts[0] * counts[1] * counts[2]; }
};

/// Describes a put; nothing moves before the chain is started.
struct put {
  /// The bytes to send are read between each start and its wait, or until put_chain::source_free;
  /// the memory stays the caller's and must live as long. With `data == nullptr` the put is
  /// *packed*: before each start the caller writes `source.bytes()` bytes to
  /// put_chain::target_view.
  local_view source;
  int target = -1;
  /// The put arrives this many bytes into a bank of the target's window. Any alignment works.
  std::size_t remote_offset = 0;
  /// True makes `source.bytes()` the most that the put sends: put_chain::set_bytes says before a
  /// start how many of them, from the first on, travel. Such a source is one block of the host's
  /// memory or of a device's.
  bool variable = false;

  /// This says how the bytes lie in the target's window from remote_offset on: one behind the other
  /// unless it has runs. A put of variable size, or one of a chain with memory of devices, has no
  /// runs.
  ///
  /// Where one put of a chain has runs, the puts of the chain arrive in memory of its own, and the
  /// target copies them to its window in wait or test, as it does for a registered window.
  strided_layout remote = {};
  /// Each run of remote.run_bytes begins at one of these, in bytes from remote_offset on and in any
  /// order, instead of in the loops of `remote`, as MPI_Type_create_hindexed_block lays runs out.
  /// push copies the list.
  std::span<const std::size_t> remote_starts = {};

  /// Makes a put whose bytes the caller packs straight to where the transport takes them from.
  static put packed(std::size_t bytes, int target, std::size_t remote_offset) {
    return {{nullptr, bytes, 1, 0}, target, remote_offset};
  }
  /// Makes a packed put of variable size, of at most `most_bytes`.
  static put packed_up_to(std::size_t most_bytes, int target, std::size_t remote_offset) {
    put made = packed(most_bytes, target, remote_offset);
    made.variable = true;
    return made;
  }
  /// Makes a put of variable size, of at most all of these bytes.
  static put up_to(std::span<const std::byte> bytes, int target, std::size_t remote_offset) {
    return {local_view::contiguous(bytes), target, remote_offset, true};
  }
};

}  // namespace onehop
