#pragma once
/// Each kind of kernel and each precision has its own translation unit.

#include "dirac/device/kernel_table.hpp"

namespace onehop::cuda {

template <class Stored>
void add_wilson(device::kernel_table& table);
template <class Stored>
void add_wilson_dagger(device::kernel_table& table);
template <class Stored>
void add_factored(device::kernel_table& table);
template <class Stored>
void add_factored_dagger(device::kernel_table& table);
template <class Stored>
void add_staggered(device::kernel_table& table);
template <class Stored>
void add_algebra(device::kernel_table& table);
template <class Stored>
void add_bicgstab(device::kernel_table& table);

}  // namespace onehop::cuda
