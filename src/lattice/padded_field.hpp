#pragma once
/// Fields of one rank's block with a ghost layer of one site all around, and the exchange that
/// fills it.

#include <onehop/geometry.hpp>
#include <onehop/put_chain.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace onehop {

/// Where a site is in memory: coordinates from -1 to L inclusive, x fastest.
class padded_shape {
 public:
  explicit padded_shape(const coordinate& local) noexcept;

  /// Sites, ghosts included.
  std::size_t volume() const noexcept { return volume_; }
  std::ptrdiff_t stride(std::size_t mu) const noexcept { return stride_[mu]; }
  std::size_t index(const coordinate& site) const noexcept {
    std::ptrdiff_t offset = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) offset += (site[mu] + 1) * stride_[mu];
    return static_cast<std::size_t>(offset);
  }

 private:
  std::array<std::ptrdiff_t, 4> stride_;
  std::size_t volume_;
};

/// Fills the ghosts of any field of one shape, corners included: x, then y, z and t, where the
/// faces of each direction take along the ghosts of the directions before it.
///
///     . = ghosts filled by x     y faces carry   .***.   up and down, so that after y
///     * = sites of the block                     .***.   the corners are filled too
///
/// One persistent put chain per direction serves every field; an exchange allocates nothing.
class ghost_exchange {
 public:
  /// Collective.
  ghost_exchange(const onehop::geometry& geometry, std::size_t site_bytes);

  /// Collective. `field` is padded_shape(local).volume() sites of `site_bytes`.
  void exchange(std::span<std::byte> field);
  /// Collective. The ghosts of direction mu only, without corners that were not there before.
  void exchange(std::span<std::byte> field, int mu);

  const onehop::geometry& geometry() const noexcept { return geometry_; }
  const padded_shape& shape() const noexcept { return shape_; }
  std::size_t site_bytes() const noexcept { return site_bytes_; }

 private:
  struct direction {
    put_chain chain;
    put_slot to_backward, to_forward;
    notification from_backward, from_forward;
  };

  direction make_direction(const window& memory, std::size_t mu, std::size_t offset) const;
  /// Bytes of a face of direction mu, and of the pieces it has in memory.
  std::size_t face_bytes(std::size_t mu) const noexcept;
  std::size_t piece_bytes(std::size_t mu) const noexcept;
  template <class Visit>
  void for_each_piece(std::size_t mu, int slice, const Visit& visit) const;

  onehop::geometry geometry_;
  padded_shape shape_;
  std::size_t site_bytes_;
  std::vector<direction> directions_;
};

/// One `Site` per lattice site. Fields made from one ghost_exchange share its chains.
template <class Site>
class padded_field {
  static_assert(std::is_trivially_copyable_v<Site>);

 public:
  /// Makes all sites zero. Collective.
  explicit padded_field(const onehop::geometry& geometry)
      : padded_field(std::make_shared<ghost_exchange>(geometry, sizeof(Site))) {}
  /// Makes all sites zero; `ghosts` must be for sites of sizeof(Site) bytes.
  explicit padded_field(std::shared_ptr<ghost_exchange> ghosts)
      : ghosts_(std::move(ghosts)), sites_(ghosts_->shape().volume()) {}

  const onehop::geometry& geometry() const noexcept { return ghosts_->geometry(); }
  const padded_shape& shape() const noexcept { return ghosts_->shape(); }
  const std::shared_ptr<ghost_exchange>& ghosts() const noexcept { return ghosts_; }

  /// Local coordinates, -1 to L inclusive.
  Site& operator[](const coordinate& site) noexcept { return sites_[shape().index(site)]; }
  const Site& operator[](const coordinate& site) const noexcept {
    return sites_[shape().index(site)];
  }
  std::span<Site> data() noexcept { return sites_; }
  std::span<const Site> data() const noexcept { return sites_; }

  /// Collective. All ghosts, corners included, are valid afterwards.
  void exchange() { ghosts_->exchange(std::as_writable_bytes(std::span(sites_))); }
  /// Collective. The ghosts of direction mu are valid afterwards, its corners are not.
  void exchange(int mu) { ghosts_->exchange(std::as_writable_bytes(std::span(sites_)), mu); }

 private:
  std::shared_ptr<ghost_exchange> ghosts_;
  std::vector<Site> sites_;
};

}  // namespace onehop
