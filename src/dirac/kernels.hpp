#pragma once
/// These choose which kernels to use on this processor.

#include "dirac/kernel_table.hpp"

#include <span>
#include <string_view>

namespace onehop {

/// An instruction_set has the kernels built for one instruction set.
struct instruction_set {
  const char* name;
  bool (*supported)();  ///< true where this processor supports it
  int (*widest_lanes)(field_precision kind);
  const kernel_table* (*kernels)(field_precision kind, int lanes);  ///< kernels for lanes 1, 2, ..
                                                                    ///< widest_lanes
};

/// Returns the instruction sets that this library was built with, best first.
std::span<const instruction_set> built_instruction_sets();
/// Returns the first set that this processor supports, or the one of that name. Throws usage_error
/// when it was not built or the processor lacks it.
const instruction_set& choose_instruction_set(std::string_view name = "auto");

}  // namespace onehop
