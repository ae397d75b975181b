#pragma once
/// These functions choose which kernels to use on this processor.

#include "dirac/kernel_table.hpp"
#include "lattice/lane_layout.hpp"

#include <span>
#include <string_view>

namespace onehop {

/// An instruction_set holds the kernels built for one instruction set.
struct instruction_set {
  const char* name;
  bool (*supported)();  ///< returns whether this processor supports it
  int (*widest_lanes)(field_precision kind);
  /// Returns the kernels for 1, 4, 8, ... lanes up to the widest, and null for other numbers: few
  /// lattices would gain from two lanes of wider vectors, and kernels take long to compile.
  const kernel_table* (*kernels)(field_precision kind, int lanes);
};

/// Returns the instruction sets that this library was built with, best first.
std::span<const instruction_set> built_instruction_sets();
/// Returns the first set that this processor supports, or the set with this name. Throws
/// usage_error if it was not built or the processor lacks it.
const instruction_set& choose_instruction_set(std::string_view name = "auto");

/// Returns the layout with the most lanes that fits the block and has kernels.
lane_layout widest_layout(const geometry& geometry, const instruction_set& set,
                          field_precision kind, int reach);

}  // namespace onehop
