#include "lattice/padded_field.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace onehop {

padded_shape::padded_shape(const coordinate& local) noexcept {
  std::ptrdiff_t sites = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    stride_[mu] = sites;
    sites *= local[mu] + 2;
  }
  volume_ = static_cast<std::size_t>(sites);
}

ghost_exchange::ghost_exchange(const onehop::geometry& geometry, std::size_t site_bytes)
    : geometry_(geometry), shape_(geometry.local()), site_bytes_(site_bytes) {
  std::size_t bytes = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) bytes += 2 * face_bytes(mu);
  const auto memory = window::allocate(geometry.context(), bytes);
  directions_.reserve(4);
  std::size_t offset = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    directions_.push_back(make_direction(memory, mu, offset));
    offset += 2 * face_bytes(mu);
  }
}

ghost_exchange::direction ghost_exchange::make_direction(const window& memory, std::size_t mu,
                                                         std::size_t offset) const {
  const auto axis = static_cast<int>(mu);
  const int backward = geometry_.neighbour(axis, -1), forward = geometry_.neighbour(axis, +1);
  const std::size_t bytes = face_bytes(mu);
  direction result{put_chain(geometry_.context(), memory), {}, {}, {}, {}};
  // What goes backward arrives there from its forward neighbour: with two ranks both neighbours
  // are one rank, and its first put is the one that comes from forward.
  result.to_backward = result.chain.push(put::packed(bytes, backward, offset));
  result.from_forward = result.chain.add_origin(forward);
  result.to_forward = result.chain.push(put::packed(bytes, forward, offset + bytes));
  result.from_backward = result.chain.add_origin(backward);
  result.chain.commit();
  return result;
}

std::size_t ghost_exchange::piece_bytes(std::size_t mu) const noexcept {
  return static_cast<std::size_t>(shape_.stride(mu)) * site_bytes_;
}

std::size_t ghost_exchange::face_bytes(std::size_t mu) const noexcept {
  std::size_t bytes = piece_bytes(mu);
  for (std::size_t nu = mu + 1; nu < 4; ++nu)
    bytes *= static_cast<std::size_t>(geometry_.local()[nu]);
  return bytes;
}

/// Visits the byte offsets of a slice's pieces: whole padded rows of the directions before mu, for
/// each interior position in the directions after it.
template <class Visit>
void ghost_exchange::for_each_piece(std::size_t mu, int slice, const Visit& visit) const {
  coordinate first{}, last{};
  for (std::size_t nu = 0; nu < 4; ++nu) {
    first[nu] = nu < mu ? -1 : 0;
    last[nu] = nu < mu ? -1 : geometry_.local()[nu] - 1;
  }
  first[mu] = last[mu] = slice;
  coordinate site = first;
  for (site[3] = first[3]; site[3] <= last[3]; ++site[3])
    for (site[2] = first[2]; site[2] <= last[2]; ++site[2])
      for (site[1] = first[1]; site[1] <= last[1]; ++site[1])
        visit(shape_.index(site) * site_bytes_);
}

void ghost_exchange::exchange(std::span<std::byte> field) {
  for (int mu = 0; mu < 4; ++mu) exchange(field, mu);
}

void ghost_exchange::exchange(std::span<std::byte> field, int mu) {
  if (field.size() != shape_.volume() * site_bytes_)
    throw usage_error(text("exchange of a field of ", field.size(),
                           " bytes, but these ghosts are for ", shape_.volume(), " sites of ",
                           site_bytes_, " bytes"));
  direction& faces = directions_[mu];
  const std::size_t piece = piece_bytes(mu);
  const auto pack = [&](int slice, put_slot slot) {
    std::byte* out = faces.chain.target_view(slot).data();
    for_each_piece(mu, slice, [&](std::size_t offset) {
      std::memcpy(out, &field[offset], piece);
      out += piece;
    });
  };
  const auto unpack = [&](int slice, notification arrival) {
    const std::byte* in = faces.chain.arrived(arrival).data();
    for_each_piece(mu, slice, [&](std::size_t offset) {
      std::memcpy(&field[offset], in, piece);
      in += piece;
    });
  };
  const int extent = geometry_.local()[mu];
  pack(0, faces.to_backward);
  pack(extent - 1, faces.to_forward);
  faces.chain.start();
  faces.chain.wait();
  unpack(extent, faces.from_forward);
  unpack(-1, faces.from_backward);
}

}  // namespace onehop
