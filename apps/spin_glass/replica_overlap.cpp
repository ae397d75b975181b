#include "replica_overlap.hpp"

#include <onehop/exact_sum.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace spin_glass {
namespace {

constexpr std::size_t components = 9;  ///< components of q
/// The waves are 1, and cosine and sine along x, y, z.
constexpr std::size_t waves = 7;

/// overlap_sums are sums over products of two replicas times waves, plane by plane.
template <class Real>
class overlap_sums {
 public:
  explicit overlap_sums(const checkerboard& block)
      : block_(block),
        products_(static_cast<std::size_t>(block.rows()) * block.sites()),
        terms_(products_.size()),
        factors_(waves, std::vector<double>(products_.size(), 1.0)),
        sums_(components * waves) {}

  void add_plane(const spin_field<Real>& a, const spin_field<Real>& b, int colour, int z) {
    set_factors(colour, z);
    for (std::size_t m = 0; m < 3; ++m) {
      for (std::size_t n = 0; n < 3; ++n) {
        multiply(place(a, colour, m, z), place(b, colour, n, z));
        for (std::size_t wave = 0; wave < waves; ++wave) {
          for (std::size_t k = 0; k < terms_.size(); ++k)
            terms_[k] = products_[k] * factors_[wave][k];
          sums_[(3 * m + n) * waves + wave].add(terms_);
        }
      }
    }
  }

  /// Returns the totals by component of q, then by wave. Collective.
  std::vector<double> totals() const {
    std::vector<double> found(sums_.size());
    onehop::totals(block_.ranks().context(), sums_, found);
    return found;
  }

 private:
  const Real* place(const spin_field<Real>& of, int colour, std::size_t component, int z) const {
    return of.component(colour) + static_cast<std::ptrdiff_t>(component) * block_.pitch() +
           block_.row(0, z);
  }
  void multiply(const Real* a, const Real* b) {
    for (std::size_t k = 0; k < products_.size(); ++k)
      products_[k] = static_cast<double>(a[k]) * static_cast<double>(b[k]);
  }
  void set_factors(int colour, int z) {
    std::size_t k = 0;
    for (int y = 0; y < block_.rows(); ++y) {
      for (int i = 0; i < block_.sites(); ++i, ++k) {
        const auto at = block_.global(block_.first_x(colour, y, z) + 2 * i, y, z);
        for (std::size_t mu = 0; mu < 3; ++mu) {
          const double angle = 2 * std::numbers::pi * at[mu] / block_.ranks().extents()[mu];
          factors_[1 + 2 * mu][k] = std::cos(angle);
          factors_[2 + 2 * mu][k] = std::sin(angle);
        }
      }
    }
  }

  const checkerboard& block_;
  std::vector<double> products_, terms_;
  std::vector<std::vector<double>> factors_;
  std::vector<onehop::exact_sum> sums_;
};

}  // namespace

template <class Real>
overlap_susceptibility susceptibility_of(const spin_field<Real>& a, const spin_field<Real>& b) {
  const checkerboard& block = a.block();
  overlap_sums<Real> sums(block);
  for (int colour = 0; colour < 2; ++colour)
    for (int z = 0; z < block.planes(); ++z) sums.add_plane(a, b, colour, z);
  const std::vector<double> totals = sums.totals();
  const auto sites = static_cast<double>(onehop::volume(block.ranks().extents()));
  overlap_susceptibility found{0, 0};
  for (std::size_t mn = 0; mn < components; ++mn) {
    const double* const q = &totals[mn * waves];
    found.zero += q[0] * q[0] / sites;
    for (std::size_t wave = 1; wave < waves; ++wave)
      found.smallest += q[wave] * q[wave] / (3 * sites);
  }
  return found;
}

template overlap_susceptibility susceptibility_of(const spin_field<float>&,
                                                  const spin_field<float>&);
template overlap_susceptibility susceptibility_of(const spin_field<double>&,
                                                  const spin_field<double>&);

}  // namespace spin_glass
