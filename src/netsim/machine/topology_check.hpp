#pragma once
/// This is the part of machine_description::check that concerns one fabric.

#include <cstdint>

#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// Throws usage_error if the fabric cannot be simulated or does not connect `nodes` nodes.
void check_fabric(const fabric& net, std::uint32_t nodes);

}  // namespace onehop::netsim
