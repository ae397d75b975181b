#pragma once
/// A rank's block of a field with the ghosts around it.

#include <onehop/cartesian.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace onehop {

struct ghost_widths {
  /// Sites, on both sides of every dimension.
  int width = 1;
  /// Where it is not empty it says for each dimension how wide the ghosts are below the block and
  /// above it, instead of `width`.
  std::vector<std::array<int, 2>> sides = {};
  /// False leaves the ghosts out of the field's memory, which is then the dense block: they are
  /// read where they arrive (halo_exchange::ghost), and no byte of either is copied. So it must be
  /// for a field in a device's memory.
  bool padded = true;
};

/// Where the sites of a block lie in memory, x fastest, with their ghosts around them. Coordinates
/// count from the block's first site: ghosts below have negative ones.
class halo_layout {
 public:
  /// Throws usage_error for negative widths, for other than one pair of them for each dimension,
  /// and for ghosts wider than the thinnest block that they come from.
  halo_layout(const cartesian& ranks, const ghost_widths& ghosts);

  const cartesian& ranks() const noexcept { return ranks_; }
  bool padded() const noexcept { return padded_; }
  /// Width of the ghosts below (side 0) or above (side 1) the block.
  int width(int mu, int side) const noexcept {
    return widths_[static_cast<std::size_t>(mu)][static_cast<std::size_t>(side)];
  }
  /// Sites in memory.
  std::size_t volume() const noexcept { return volume_; }
  /// Sites from one to the next in dimension mu.
  std::ptrdiff_t stride(std::size_t mu) const noexcept { return stride_[mu]; }
  /// Two shapes are equal when the same sites lie at the same places on the same grid of ranks.
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
  std::ptrdiff_t first_ = 0;  ///< of the block
  std::size_t volume_ = 1;
};

/// What a halo exchange knows of a field: its layout, and its memory without the type of its sites.
class halo_memory {
 public:
  /// The memory stays the caller's; throws usage_error unless it holds layout.volume() sites.
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

/// One `Site` for each site of the block and of its ghosts.
///
///     onehop::halo_field<double> field(ranks, {.width = 1});
///     field(x, y, z) = ...;  // 0 .. local - 1; from -1 to local with the ghosts
///
/// Two fields of one layout are swapped by std::swap without a copy, and an exchange of either then
/// carries what it holds now.
template <class Site>
class halo_field : public halo_memory {
  static_assert(std::is_trivially_copyable_v<Site> && !std::is_same_v<Site, bool>);

 public:
  /// Makes all sites zero, ghosts included.
  halo_field(const cartesian& ranks, const ghost_widths& ghosts)
      : halo_field(halo_layout(ranks, ghosts)) {}
  explicit halo_field(const halo_layout& layout)
      : halo_field(layout, std::vector<Site>(layout.volume()), owned()) {}
  /// In memory of the caller, which lives as long: of the host, or of a device for a field that is
  /// not padded. Throws usage_error unless it is of layout.volume() sites.
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
  /// Gives all sites in memory, ghosts included where there are any.
  std::span<Site> data() noexcept { return {first(), layout_.volume()}; }
  std::span<const Site> data() const noexcept { return {first(), layout_.volume()}; }

 private:
  struct owned {};
  halo_field(const halo_layout& layout, std::vector<Site> sites, owned /*tag*/)
      : halo_memory(layout, sizeof(Site), std::as_writable_bytes(std::span(sites))),
        sites_(std::move(sites)) {}

  Site* first() const noexcept { return reinterpret_cast<Site*>(memory_.data()); }

  std::vector<Site> sites_;  ///< empty where the memory is the caller's
};

}  // namespace onehop
