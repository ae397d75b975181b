#pragma once
/// These checks say whether links can belong to a configuration.

#include <onehop/gauge_field.hpp>

#include <string>

namespace onehop {

/// Throws numeric_error on every rank, naming site and direction of the first link U that differs
/// from SU(3) by more than `limit`. The difference is the largest of |U^+ U - 1|, entry by entry,
/// and |det U - 1|. Collective. Links must be finite numbers.
void check_special_unitary(const gauge_field& links, double limit);

/// Returns "the link in direction x at site (0,1,2,3) of lattice 4x4x4x8".
std::string link_name(const coordinate& lattice, const coordinate& site, int mu);
/// Throws numeric_error naming a link that is not finite.
void check_finite_link(const colour_matrix& u, const coordinate& lattice, const coordinate& site,
                       int mu);

/// Links rounded to fewer digits than any file stores are still closer to SU(3) than this; a link
/// that is further away is not an SU(3) link.
inline constexpr double largest_deviation = 1e-3;
/// Throws numeric_error, saying that `name` differs from SU(3) by more than `limit`.
[[noreturn]] void refuse_deviation(const std::string& name, double deviation, double limit);
/// Returns a line for the user if a file's links differ from SU(3) by more than rounding to its
/// precision explains, otherwise nothing.
std::string unitarity_warning(const std::string& path, double unitarity_deviation,
                              int precision_bits);

}  // namespace onehop
