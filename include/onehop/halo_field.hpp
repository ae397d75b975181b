#pragma once
/// A halo_field is a rank's block of a field with the ghosts around it.

#include <onehop/cartesian.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace onehop {

struct ghost_widths {
  /// This is the number of ghost sites on both sides of every dimension.
  int width = 1;
  /// If this is not empty, it replaces `width`: for each dimension it says how many ghost sites lie
  /// below the block and above it.
  std::vector<std::array<int, 2>> sides = {};
  /// If false, the field's memory has no ghosts and is the dense block: ghosts are read where they
  /// arrive (halo_exchange::ghost), and neither faces nor ghosts are copied. A field in device
  /// memory must not be padded.
  bool padded = true;
};

/// A halo_layout says where the sites of a block and the ghosts around them lie in memory, x
/// fastest. Coordinates count from the block's first site, so ghosts below it have negative ones.
class halo_layout {
 public:
  /// Makes a layout. Throws usage_error for negative widths, unless there is one pair of widths for
  /// each dimension, and for ghosts wider than the thinnest block from which they come.
  halo_layout(const cartesian& ranks, const ghost_widths& ghosts);

  const cartesian& ranks() const noexcept { return ranks_; }
  bool padded() const noexcept { return padded_; }
  /// Returns the width of the ghosts below (side 0) or above (side 1) the block.
  int width(int mu, int side) const noexcept {
    return widths_[static_cast<std::size_t>(mu)][static_cast<std::size_t>(side)];
  }
  /// Returns the number of sites in memory.
  std::size_t volume() const noexcept { return volume_; }
  /// Returns the distance in memory, in sites, to the next site in dimension mu.
  std::ptrdiff_t stride(std::size_t mu) const noexcept { return stride_[mu]; }
  /// Two layouts are equal if the same sites lie at the same offsets on the same grid of ranks.
  bool operator==(const halo_layout& other) const noexcept;
  std::size_t index(const coordinate& site) const noexcept {
    std::ptrdiff_t offset = first_ + site[0];
    for (std::size_t mu = 1; mu < 4; ++mu) offset += site[mu] * stride_[mu];
    return static_cast<std::size_t>(offset);
  }

 private:
  cartesian ranks_;
  bool padded_;
  std::array<std::array<int, 2>, 4> widths_{};
  std::array<std::ptrdiff_t, 4> stride_{};
  std::ptrdiff_t first_ = 0;  ///< index of the block's first site
  std::size_t volume_ = 1;
};

/// A halo_memory is what a halo exchange needs to know of a field: its layout, and its memory
/// without the type of its sites.
class halo_memory {
 public:
  /// Describes memory that stays the caller's. Throws usage_error unless it holds layout.volume()
  /// sites.
  halo_memory(const halo_layout& layout, std::size_t site_bytes, std::span<std::byte> memory);

  const halo_layout& layout() const noexcept { return layout_; }
  const cartesian& ranks() const noexcept { return layout_.ranks(); }
  std::size_t site_bytes() const noexcept { return site_bytes_; }
  std::span<std::byte> memory() const noexcept { return memory_; }

 private:
  template <class Site>
  friend class halo_field;

  halo_layout layout_;
  std::size_t site_bytes_;
  std::span<std::byte> memory_;
};

/// A halo_field has one `Site` for each site of the block and of its ghosts.
///
///     onehop::halo_field<double> field(ranks, {.width = 1});
///     field(x, y, z) = ...;  // 0 .. local - 1; from -1 to local with the ghosts
///
/// std::swap exchanges two fields of one layout without a copy; an exchange made for one of them
/// then sends what that one now holds.
template <class Site>
class halo_field : public halo_memory {
  static_assert(std::is_trivially_copyable_v<Site> && !std::is_same_v<Site, bool>);

 public:
  /// Makes a field whose sites are all zero, ghosts included.
  halo_field(const cartesian& ranks, const ghost_widths& ghosts)
      : halo_field(halo_layout(ranks, ghosts)) {}
  explicit halo_field(const halo_layout& layout)
      : halo_field(layout, std::vector<Site>(layout.volume()), owned()) {}
  /// Makes a field in memory of the caller, which must live as long: host memory, or device memory
  /// for a field that is not padded. Throws usage_error unless the memory has layout.volume()
  /// sites.
  halo_field(const halo_layout& layout, std::span<Site> memory)
      : halo_memory(layout, sizeof(Site), std::as_writable_bytes(memory)) {}

  halo_field(halo_field&&) noexcept = default;
  halo_field& operator=(halo_field&&) noexcept = default;
  halo_field(const halo_field& other) = delete;
  halo_field& operator=(const halo_field& other) = delete;

  Site& operator[](const coordinate& site) noexcept { return first()[layout_.index(site)]; }
  const Site& operator[](const coordinate& site) const noexcept {
    return first()[layout_.index(site)];
  }
  Site& operator()(int x, int y = 0, int z = 0, int t = 0) noexcept {
    return (*this)[{x, y, z, t}];
  }
  const Site& operator()(int x, int y = 0, int z = 0, int t = 0) const noexcept {
    return (*this)[{x, y, z, t}];
  }
  /// Returns all sites in memory, including ghosts if there are any.
  std::span<Site> data() noexcept { return {first(), layout_.volume()}; }
  std::span<const Site> data() const noexcept { return {first(), layout_.volume()}; }

 private:
  struct owned {};
  halo_field(const halo_layout& layout, std::vector<Site> sites, owned /*tag*/)
      : halo_memory(layout, sizeof(Site), std::as_writable_bytes(std::span(sites))),
        sites_(std::move(sites)) {}

  Site* first() const noexcept { return reinterpret_cast<Site*>(memory_.data()); }

  std::vector<Site> sites_;  ///< empty if the memory is the caller's
};

}  // namespace onehop
