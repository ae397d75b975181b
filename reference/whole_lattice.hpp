#pragma once
/// A whole_lattice has the links of all ranks.

#include <onehop/gauge_field.hpp>

#include <span>
#include <vector>

namespace onehop::reference {

class whole_lattice {
 public:
  /// The constructor is collective: every rank gets all links.
  explicit whole_lattice(const gauge_field& links);
  /// This constructor makes all links zero.
  explicit whole_lattice(const coordinate& extents)
      : extents_(extents), links_(4 * volume(extents)) {}

  const coordinate& extents() const { return extents_; }
  /// Returns a link; sites are taken periodically.
  colour_matrix& link(int mu, const coordinate& site) { return links_[index(mu, site)]; }
  const colour_matrix& link(int mu, const coordinate& site) const {
    return links_[index(mu, site)];
  }
  /// Returns this rank's part, with ghosts. Collective.
  gauge_field part(const geometry& g) const;

 private:
  std::size_t index(int mu, const coordinate& site) const;

  coordinate extents_;
  std::vector<colour_matrix> links_;
};

/// Returns the product of the links on the way of `steps` from `site`: k+1 is a step forward in
/// direction k, -(k+1) one backward.
colour_matrix product_along(const whole_lattice& u, coordinate site, std::span<const int> steps);

}  // namespace onehop::reference
