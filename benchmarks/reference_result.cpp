#include "benchmarks/reference_result.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/solve_work.hpp"
#include "reference/dirac_operator.hpp"

namespace onehop::bench {

field_precision field_precision_of(precision wanted) {
  return wanted == precision::double_  ? field_precision::double_
         : wanted == precision::single ? field_precision::single
                                       : field_precision::half;
}

bench_links::bench_links(const onehop::geometry& geometry) : links(geometry) {
  set_hot(links, 1);
  links.exchange_ghosts();
}

/// H psi is computed with a mass for which the diagonal vanishes, and divided by the factor of H in
/// M.
fermion reference_result(const hop_links& links, const operator_cell& cell, const fermion& psi) {
  fermion image(psi.size());
  const bool wilson = kind_of(cell.dirac) == dslash::wilson;
  if (has_site_terms(cell)) {
    const dirac_operator dirac = bench_options(cell).dirac;
    reference::clover(links.thin(), mass_of(dirac), csw_of(dirac), true, mu_of(dirac))
        .apply(psi, image);
    return image;
  }
  if (wilson) {
    reference::wilson(links.thin(), -4.0, true).apply(psi, image);
  } else if (is_improved(kind_of(cell.dirac))) {
    reference::improved_staggered(links.near(), links.far(), 0.0, true).apply(psi, image);
  } else {
    reference::staggered(links.thin(), 0.0, true).apply(psi, image);
  }
  for (auto& value : image) value *= wilson ? -2.0 : 2.0;
  return image;
}

double distance(const context& ctx, const fermion& got, const fermion& expected) {
  std::array<double, 2> sizes{};
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double here = std::abs(got[k] - expected[k]);
    sizes[0] = std::max(sizes[0], std::isnan(here) ? HUGE_VAL : here);
    sizes[1] = std::max(sizes[1], std::abs(expected[k]));
  }
  allreduce_max(ctx, sizes);
  return sizes[0] / sizes[1];
}

}  // namespace onehop::bench
