#include "couplings.hpp"

#include "random_uses.hpp"

#include <onehop/error.hpp>

#include <string>

namespace spin_glass {

disorder disorder_named(std::string_view word) {
  if (word == "gaussian") return disorder::gaussian;
  if (word == "pm1") return disorder::plus_minus;
  if (word == "ferromagnet") return disorder::ferromagnet;
  throw onehop::usage_error("disorder '" + std::string(word) +
                            "' is not known; choose gaussian, pm1 or ferromagnet");
}

bond random_bonds(disorder kind, std::uint64_t seed, const onehop::coordinate& extents) {
  if (kind == disorder::ferromagnet) return [](const onehop::coordinate&, int) { return 1.0; };
  return [kind, seed, extents](const onehop::coordinate& site, int direction) {
    const auto wide = [](int number) { return static_cast<std::uint64_t>(number); };
    const std::uint64_t index =
        (wide(site[2]) * wide(extents[1]) + wide(site[1])) * wide(extents[0]) + wide(site[0]);
    onehop::site_random numbers(seed, random_couplings, wide(direction), index);
    if (kind == disorder::gaussian) return numbers.gaussian_pair()[0];
    return numbers.uniform_pair()[0] < 0.5 ? -1.0 : 1.0;
  };
}

template <class Real>
couplings<Real>::couplings(const checkerboard& block, const bond& strengths)
    : block_(block), upwards_(place(2, 0)) {
  const std::size_t rows = static_cast<std::size_t>(block.rows()) * block.planes();
  for (int colour = 0; colour < 2; ++colour) {
    below_[colour].resize(static_cast<std::size_t>(block.rows()) * block.sites());
    left_[colour].resize((rows + 1) / 2);
    fill(colour, strengths);
  }
}

template <class Real>
void couplings<Real>::fill(int colour, const bond& strengths) {
  const auto strength = [&](int x, int y, int z, int direction) {
    return static_cast<Real>(strengths(block_.global(x, y, z), direction));
  };
  for (int z = -1; z < block_.planes(); ++z) {
    for (int y = z < 0 ? 0 : -1; y < block_.rows(); ++y) {
      const int first = block_.first_x(colour, y, z);
      for (int i = 0; i < block_.sites(); ++i) {
        const int x = first + 2 * i;
        if (z < 0) {
          below_[colour][static_cast<std::size_t>(y) * block_.sites() + i] = strength(x, y, z, 2);
          continue;
        }
        for (int direction = 0; direction < 3; ++direction)
          upwards_.data()[place(colour, direction) + block_.row(y, z) + i] =
              strength(x, y, z, direction);
      }
      // The site at x = -1 has this colour if the block's sites of this colour begin at x = 1.
      if (z >= 0 && y >= 0 && first == 1)
        left_[colour][static_cast<std::size_t>(z * block_.rows() + y) / 2] = strength(-1, y, z, 0);
    }
  }
}

template class couplings<float>;
template class couplings<double>;

}  // namespace spin_glass
