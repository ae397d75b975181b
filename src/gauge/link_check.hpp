#pragma once
/// Whether links are what a configuration is made of.

#include <onehop/gauge_field.hpp>

namespace onehop {

/// Throws numeric_error on every rank, naming site and direction of the first link U that differs
/// from SU(3) by more than `limit`: the largest of |U^+ U - 1|, entry by entry, and |det U - 1|.
/// Collective. Links are finite numbers.
void check_special_unitary(const gauge_field& links, double limit);

}  // namespace onehop
