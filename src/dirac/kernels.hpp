#pragma once
/// Which kernels to use on this processor.

#include "dirac/kernel_table.hpp"

#include <span>
#include <string_view>

namespace onehop {

/// Kernels built for one instruction set.
struct instruction_set {
  const char* name;
  bool (*supported)();  ///< by this processor
  int (*widest_lanes)(field_precision kind);
  const kernel_table* (*kernels)(field_precision kind, int lanes);  ///< lanes 1, 2, .. widest_lanes
};

/// What this library was built with, best first.
std::span<const instruction_set> built_instruction_sets();
/// The first that this processor supports, or the one of that name. Throws usage_error when it was
/// not built or the processor lacks it.
const instruction_set& choose_instruction_set(std::string_view name = "auto");

}  // namespace onehop
