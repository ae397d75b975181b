#include "dirac/link_field.hpp"

namespace onehop {
namespace {

colour_matrix adjoint(const colour_matrix& u) {
  colour_matrix result;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      result[3 * row + column] = std::conj(u[3 * column + row]);
    }
  }
  return result;
}

/// The factor of the link that leaves global site `x` forward in direction mu.
double link_sign(const geometry& geometry, dslash kind, bool antiperiodic, int mu,
                 const coordinate& x) {
  const bool crosses = mu == 3 && x[3] == geometry.lattice()[3] - 1;
  const double boundary = antiperiodic && crosses ? -1.0 : 1.0;
  return kind == dslash::staggered ? boundary * staggered_phase(mu, x) : boundary;
}

/// The matrix that multiplies the neighbour of `site` in `direction`.
colour_matrix hop_matrix(const gauge_field& links, dslash kind, bool antiperiodic, int direction,
                         coordinate site) {
  const geometry& geometry = links.geometry();
  const int mu = direction % 4;
  const bool backward = direction >= 4;
  if (backward) --site[mu];
  coordinate global = geometry.global_site(site);
  global[mu] = (global[mu] + geometry.lattice()[mu]) % geometry.lattice()[mu];
  double sign = link_sign(geometry, kind, antiperiodic, mu, global);
  if (backward && kind == dslash::staggered) sign = -sign;
  colour_matrix u = backward ? adjoint(links.link(mu, site)) : links.link(mu, site);
  for (auto& entry : u) entry *= sign;
  return u;
}

}  // namespace

int staggered_phase(int mu, const coordinate& global) noexcept {
  int sum = 0;
  for (int nu = 0; nu < mu; ++nu) sum += global[nu];
  return sum % 2 == 0 ? 1 : -1;
}

link_field::link_field(const lane_layout& layout, int parity, const gauge_field& links, dslash kind,
                       bool antiperiodic)
    : reals_(static_cast<std::size_t>(layout.vectors(parity)) * 8 * 18 * layout.lanes()) {
  const int lanes = layout.lanes();
  double* out = reals_.data();
  for (std::int32_t vector = 0; vector < layout.vectors(parity); ++vector) {
    for (int direction = 0; direction < 8; ++direction, out += 18 * lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        const colour_matrix u =
            hop_matrix(links, kind, antiperiodic, direction, layout.site(parity, vector, lane));
        for (int k = 0; k < 9; ++k) {
          out[2 * k * lanes + lane] = u[k].real();
          out[(2 * k + 1) * lanes + lane] = u[k].imag();
        }
      }
    }
  }
}

}  // namespace onehop
