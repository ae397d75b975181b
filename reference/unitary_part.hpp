#pragma once
/// The unitary part is the unitary factor of a matrix.

#include <onehop/gauge_field.hpp>

namespace onehop::reference {

/// Returns a (a^+ a)^{-1/2}, with the root by the eigenvalues of a^+ a (Hasenfratz, Hoffmann and
/// Schaefer, JHEP 05 (2007) 029, section 2).
colour_matrix unitary_part(const colour_matrix& a);

}  // namespace onehop::reference
