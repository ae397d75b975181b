#include "spin_field.hpp"

#include <algorithm>

namespace spin_glass {

template <class Real>
spin_field<Real>::spin_field(const checkerboard& block)
    : block_(block), memory_(2 * 3 * block.pitch()) {
  std::size_t bytes = 0;
  for (int direction = 0; direction < 3; ++direction)
    if (block.ranks().distributed(direction))
      bytes += 2 * 2 * 3 * face_numbers(direction) * sizeof(Real);
  ghosts_ = onehop::window::allocate(block.ranks().context(), bytes);
  std::size_t offset = 0;
  for (int colour = 0; colour < 2; ++colour) describe(links_[colour], colour, offset);
}

/// Returns the numbers of one component in a face.
template <class Real>
std::size_t spin_field<Real>::face_numbers(int direction) const {
  const auto sites = static_cast<std::size_t>(block_.sites()),
             rows = static_cast<std::size_t>(block_.rows()),
             planes = static_cast<std::size_t>(block_.planes());
  if (direction == 0) return (rows * planes + 1) / 2;
  return direction == 1 ? sites * planes : sites * rows;
}

template <class Real>
void spin_field<Real>::describe(links& of, int colour, std::size_t& offset) {
  const onehop::cartesian& ranks = block_.ranks();
  of.chain.emplace(ranks.context(), *ghosts_);
  for (int direction = 0; direction < 3; ++direction) {
    if (!ranks.distributed(direction)) continue;
    const std::size_t bytes = 3 * face_numbers(direction) * sizeof(Real);
    for (int side = 0; side < 2; ++side) {
      // The lower face of a block arrives above another block, and vice versa. With two ranks both
      // neighbours are the same, and puts and arrivals pair in the order of `side`.
      send(of, colour, {direction, side}, ranks.neighbour(direction, side == 0 ? -1 : 1),
           offset + (side == 0 ? bytes : 0));
      connection& from = of.faces[direction][1 - side];
      const int origin = ranks.neighbour(direction, side == 0 ? 1 : -1);
      for (int k = 0; k < (direction == 0 ? 1 : 3); ++k)
        from.arrivals[k] = of.chain->add_origin(origin);
    }
    offset += 2 * bytes;
  }
  of.chain->commit();
}

template <class Real>
void spin_field<Real>::send(links& of, int colour, face_of face, int target, std::size_t offset) {
  const std::size_t bytes = face_numbers(face.direction) * sizeof(Real);
  if (face.direction == 0) {
    of.faces[0][face.side].packed = of.chain->push(onehop::put::packed(3 * bytes, target, offset));
    return;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(block_.sites()) * sizeof(Real);
  for (int k = 0; k < 3; ++k) {
    const Real* const from = component(colour) + k * block_.pitch();
    onehop::local_view source;
    if (face.direction == 1) {
      const int y = face.side == 0 ? 0 : block_.rows() - 1;
      source = {reinterpret_cast<const std::byte*>(from + block_.row(y, 0)), row_bytes,
                static_cast<std::size_t>(block_.planes()),
                block_.plane_pitch() * static_cast<std::ptrdiff_t>(sizeof(Real))};
    } else {
      const int z = face.side == 0 ? 0 : block_.planes() - 1;
      source = {reinterpret_cast<const std::byte*>(from + block_.row(0, z)), bytes, 1, 0};
    }
    of.chain->push({source, target, offset + static_cast<std::size_t>(k) * bytes});
  }
}

template <class Real>
void spin_field<Real>::start(int colour) {
  if (block_.ranks().distributed(0)) pack(colour);
  links_[colour].chain->start();
}

template <class Real>
void spin_field<Real>::finish(int colour) {
  links_[colour].chain->wait();
  if (block_.ranks().distributed(1)) receive(colour);
}

/// A row with even x has a site in the lower face, a row with odd x in the upper face.
template <class Real>
void spin_field<Real>::pack(int colour) {
  const links& of = links_[colour];
  const std::size_t numbers = face_numbers(0);
  std::array<Real*, 2> to;
  for (std::size_t side = 0; side < 2; ++side)
    to[side] = reinterpret_cast<Real*>(of.chain->target_view(of.faces[0][side].packed).data());
  for (int z = 0; z < block_.planes(); ++z) {
    for (int y = 0; y < block_.rows(); ++y) {
      const int side = block_.first_x(colour, y, z);
      const Real* const from =
          component(colour) + block_.row(y, z) + (side == 0 ? 0 : block_.sites() - 1);
      const auto number = static_cast<std::size_t>(z * block_.rows() + y) / 2;
      for (std::size_t k = 0; k < 3; ++k)
        to[side][k * numbers + number] = from[static_cast<std::ptrdiff_t>(k) * block_.pitch()];
    }
  }
}

template <class Real>
void spin_field<Real>::receive(int colour) {
  const links& of = links_[colour];
  for (int side = 0; side < 2; ++side) {
    for (int k = 0; k < 3; ++k) {
      const auto bytes = of.chain->arrived(of.faces[1][side].arrivals[k]);
      const auto* from = reinterpret_cast<const Real*>(bytes.data());
      for (int z = 0; z < block_.planes(); ++z, from += block_.sites())
        std::copy_n(
            from, block_.sites(),
            component(colour) + k * block_.pitch() + block_.row(side == 0 ? -1 : block_.rows(), z));
    }
  }
}

template <class Real>
void spin_field<Real>::wrap(int colour, int z) noexcept {
  if (block_.ranks().distributed(1)) return;
  const int last = block_.rows() - 1;
  for (int k = 0; k < 3; ++k) {
    Real* const plane = component(colour) + k * block_.pitch();
    std::copy_n(plane + block_.row(last, z), block_.sites(), plane + block_.row(-1, z));
    std::copy_n(plane + block_.row(0, z), block_.sites(), plane + block_.row(last + 1, z));
  }
}

template <class Real>
typename spin_field<Real>::arrived_face spin_field<Real>::arrived(int colour, face_of from) const {
  const links& of = links_[colour];
  const auto& arrivals = of.faces[from.direction][from.side].arrivals;
  return {reinterpret_cast<const Real*>(of.chain->arrived(arrivals[0]).data()),
          static_cast<std::ptrdiff_t>(face_numbers(from.direction))};
}

template <class Real>
std::array<Real, 3> spin_field<Real>::spin(int x, int y, int z) const noexcept {
  const int colour = block_.first_x(0, y, z) == (x & 1) ? 0 : 1;
  const Real* const from = component(colour) + block_.row(y, z) + x / 2;
  return {from[0], from[block_.pitch()], from[2 * block_.pitch()]};
}

template class spin_field<float>;
template class spin_field<double>;

}  // namespace spin_glass
