#include "dirac_operator.hpp"
#include "gamma.hpp"
#include "site_walk.hpp"

#include <algorithm>

namespace onehop::reference {
namespace {

colour_matrix adjoint(const colour_matrix& a) {
  colour_matrix result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result[3 * i + j] = std::conj(a[3 * j + i]);
  }
  return result;
}

/// A walker walks over the lattice and multiplies up the links on its way.
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

/// F = -(i/8) (Q - Q^+), with Q the sum of the four plaquettes at x.
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

/// sigma_mu_nu = (i/2) [g_mu, g_nu].
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

clover::clover(const gauge_field& links, double mass, double csw, bool antiperiodic, double mu,
               thread_team* team)
    : wilson_(links, mass, antiperiodic, mu, team),
      csw_(csw),
      team_(team),
      strength_(links.geometry().local_volume()) {
  const geometry& g = links.geometry();
  share_out(team, strength_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      auto next = strength_[k].begin();
      for (int a = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b) *next++ = field_strength(links, g.local_site(k), a, b);
      }
    }
  });
}

// The term is hermitian, so that the dagger has the same term.
void clover::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  wilson_.apply(in, out, dagger);
  std::vector<spin_rows> rows;
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = mu + 1; nu < 4; ++nu) rows.emplace_back(sigma(mu, nu), -0.5 * csw_);
  }
  share_out(team_, strength_.size(), [&](std::size_t first, std::size_t last) {
    run_by_vectors([&]() __attribute__((always_inline)) {
      for (std::size_t site = first; site < last; ++site) {
        spin_lanes psi, moved, sum;
        psi.load(&in[12 * site]);
        sum.load(&out[12 * site]);
        for (int plane = 0; plane < 6; ++plane) {
          turn_colour(moved, strength_[site][plane], false, psi);
          add_turned_spin(sum, rows[plane], moved);
        }
        sum.store(&out[12 * site]);
      }
    });
  });
}

}  // namespace onehop::reference
