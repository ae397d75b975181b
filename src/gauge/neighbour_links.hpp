#pragma once
/// neighbour_links accesses links by padded index, for loops that step through the lattice by
/// strides.

#include <onehop/gauge_field.hpp>
#include <onehop/halo_field.hpp>

#include "gauge/su3.hpp"

namespace onehop {

/// Returns the layout of the links of one direction in a gauge field: that of any field with a
/// ghost layer of one site all around.
inline halo_layout links_layout(const geometry& geometry) { return {geometry, {.width = 1}}; }

/// Reads the links of a gauge field, which must outlive it. The caller must ensure valid ghosts.
class neighbour_links {
 public:
  explicit neighbour_links(const gauge_field& links)
      : layout_(links_layout(links.geometry())), first_(links.data().data()) {}

  const halo_layout& layout() const noexcept { return layout_; }
  std::ptrdiff_t step(std::size_t mu) const noexcept { return layout_.stride(mu); }
  const colour_matrix& operator()(std::size_t mu, std::ptrdiff_t site) const noexcept {
    return first_[static_cast<std::ptrdiff_t>(mu * layout_.volume()) + site];
  }

  /// Returns the real trace of U_mu(x) U_nu(x+mu) U_mu^+(x+nu) U_nu^+(x).
  double plaquette_trace(std::size_t mu, std::size_t nu, std::ptrdiff_t x) const noexcept {
    return su3::real_trace_adjoint(su3::multiply((*this)(mu, x), (*this)(nu, x + step(mu))),
                                   su3::multiply((*this)(nu, x), (*this)(mu, x + step(nu))));
  }

  /// Returns the sum S of the six open paths that close U_mu(x) to a plaquette. The action depends
  /// on this link through -(beta/3) Re tr U_mu(x) S.
  colour_matrix staple(std::size_t mu, std::ptrdiff_t x) const noexcept {
    const auto& u = *this;
    colour_matrix sum{};
    for (std::size_t nu = 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      const std::ptrdiff_t forward = x + step(mu), up = x + step(nu), down = x - step(nu);
      const colour_matrix above =
          su3::multiply_adjoint(su3::multiply_adjoint(u(nu, forward), u(mu, up)), u(nu, x));
      const colour_matrix below =
          su3::adjoint_multiply(su3::multiply(u(mu, down), u(nu, forward - step(nu))), u(nu, down));
      for (std::size_t k = 0; k < 9; ++k) sum[k] += above[k] + below[k];
    }
    return sum;
  }

  /// Returns the four plaquettes of a plane that have x as a corner, each from x anticlockwise: +mu
  /// +nu, +nu -mu, -mu -nu, -nu +mu. Needs the ghosts' corners.
  std::array<colour_matrix, 4> leaves(std::size_t mu, std::size_t nu,
                                      std::ptrdiff_t x) const noexcept {
    using su3::adjoint_multiply, su3::multiply, su3::multiply_adjoint;
    const auto& u = *this;
    const std::ptrdiff_t m = step(mu), n = step(nu);
    return {multiply_adjoint(multiply(u(mu, x), u(nu, x + m)), multiply(u(nu, x), u(mu, x + n))),
            multiply(multiply_adjoint(u(nu, x), multiply(u(nu, x - m), u(mu, x - m + n))),
                     u(mu, x - m)),
            adjoint_multiply(multiply(u(nu, x - m - n), u(mu, x - m)),
                             multiply(u(mu, x - m - n), u(nu, x - n))),
            multiply(adjoint_multiply(u(nu, x - n), u(mu, x - n)),
                     multiply_adjoint(u(nu, x - n + m), u(mu, x)))};
  }

 private:
  halo_layout layout_;
  const colour_matrix* first_;
};

/// Calls `visit(local site)` for every site of the block, x fastest.
template <class Visit>
void for_each_site(const geometry& geometry, const Visit& visit) {
  const coordinate& extent = geometry.local();
  coordinate site{};
  for (site[3] = 0; site[3] < extent[3]; ++site[3])
    for (site[2] = 0; site[2] < extent[2]; ++site[2])
      for (site[1] = 0; site[1] < extent[1]; ++site[1])
        for (site[0] = 0; site[0] < extent[0]; ++site[0]) visit(site);
}

}  // namespace onehop
