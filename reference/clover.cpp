#include "dirac_operator.hpp"
#include "gamma.hpp"

#include <algorithm>

namespace onehop::reference {
namespace {

colour_matrix product(const colour_matrix& a, const colour_matrix& b) {
  colour_matrix result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) result[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
  }
  return result;
}

colour_matrix adjoint(const colour_matrix& a) {
  colour_matrix result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result[3 * i + j] = std::conj(a[3 * j + i]);
  }
  return result;
}

/// A walk over the lattice that multiplies up the links on its way.
class walker {
 public:
  walker(const gauge_field& links, const coordinate& start) : links_(&links), site_(start) {}

  walker& step(int mu, int by) {
    if (by < 0) --site_[mu];
    const colour_matrix& u = links_->link(mu, site_);
    path_ = product(path_, by > 0 ? u : adjoint(u));
    if (by > 0) ++site_[mu];
    return *this;
  }
  const colour_matrix& path() const { return path_; }

 private:
  const gauge_field* links_;
  coordinate site_;
  colour_matrix path_{1, 0, 0, 0, 1, 0, 0, 0, 1};
};

/// -(i/8) (Q - Q^+), Q the sum of the four plaquettes at x.
colour_matrix field_strength(const gauge_field& links, const coordinate& x, int mu, int nu) {
  const std::array<colour_matrix, 4> leaves = {
      walker(links, x).step(mu, 1).step(nu, 1).step(mu, -1).step(nu, -1).path(),
      walker(links, x).step(nu, 1).step(mu, -1).step(nu, -1).step(mu, 1).path(),
      walker(links, x).step(mu, -1).step(nu, -1).step(mu, 1).step(nu, 1).path(),
      walker(links, x).step(nu, -1).step(mu, 1).step(nu, 1).step(mu, -1).path()};
  colour_matrix f{};
  for (const colour_matrix& leaf : leaves) {
    const colour_matrix back = adjoint(leaf);
    for (int k = 0; k < 9; ++k) f[k] += complex(0, -0.125) * (leaf[k] - back[k]);
  }
  return f;
}

/// (i/2) [g_mu, g_nu]
spin_matrix sigma(int mu, int nu) {
  spin_matrix result{};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) {
        result[i][j] += complex(0, 0.5) *
                        (gamma(mu)[i][k] * gamma(nu)[k][j] - gamma(nu)[i][k] * gamma(mu)[k][j]);
      }
    }
  }
  return result;
}

}  // namespace

clover::clover(const gauge_field& links, double mass, double csw, bool antiperiodic, double mu)
    : wilson_(links, mass, antiperiodic, mu), csw_(csw) {
  const geometry& g = links.geometry();
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    auto& here = strength_.emplace_back();
    auto next = here.begin();
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) *next++ = field_strength(links, g.local_site(k), a, b);
    }
  }
}

void clover::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  wilson_.apply(in, out, dagger);
  int plane = 0;
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = mu + 1; nu < 4; ++nu, ++plane) add_plane(plane, sigma(mu, nu), in, out);
  }
}

// The term is hermitian: the dagger has the same.
void clover::add_plane(int plane, const spin_matrix& sigma, std::span<const complex> in,
                       std::span<complex> out) const {
  for (std::size_t site = 0; site < strength_.size(); ++site) {
    const colour_matrix& f = strength_[site][plane];
    for (int s = 0; s < 4; ++s) {
      for (int r = 0; r < 4; ++r) {
        if (sigma[s][r] == 0.0) continue;
        for (int a = 0; a < 3; ++a) {
          for (int b = 0; b < 3; ++b) {
            out[12 * site + 3 * s + a] -=
                0.5 * csw_ * sigma[s][r] * f[3 * a + b] * in[12 * site + 3 * r + b];
          }
        }
      }
    }
  }
}

}  // namespace onehop::reference
