#pragma once
/// A copy of the links with the fermions' boundary condition in time.

#include <onehop/gauge_field.hpp>

namespace onehop::reference {

/// Collective. Antiperiodic: links that leave the last time slice forward change sign.
gauge_field fermion_links(const gauge_field& links, bool antiperiodic);

}  // namespace onehop::reference
