#pragma once
/// The fermions see a copy of the links with their boundary condition in time.

#include <onehop/gauge_field.hpp>

namespace onehop::reference {

/// Returns the copy; collective. Where antiperiodic, links that leave the last time slice forward
/// change sign.
gauge_field fermion_links(const gauge_field& links, bool antiperiodic);

}  // namespace onehop::reference
