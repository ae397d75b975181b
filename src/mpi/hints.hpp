#pragma once
/// Hints of communicators and windows. Each hint of the standard has a default value; other hints
/// are ignored. No hint changes what the library does.

#include <span>

#include "mpi/info.hpp"

namespace onehop::mpi_abi {

struct hint_key {
  const char* name;
  const char* unless_told;
};

inline constexpr hint_key communicator_hints[] = {{"mpi_assert_no_any_tag", "false"},
                                                  {"mpi_assert_no_any_source", "false"},
                                                  {"mpi_assert_exact_length", "false"},
                                                  {"mpi_assert_allow_overtaking", "false"},
                                                  {"mpi_assert_strict_start_ordering", "false"}};
inline constexpr hint_key window_hints[] = {{"no_locks", "false"},
                                            {"accumulate_ordering", "rar,raw,war,waw"},
                                            {"accumulate_ops", "same_op_no_op"},
                                            {"mpi_accumulate_granularity", "0"},
                                            {"same_size", "false"},
                                            {"same_disp_unit", "false"},
                                            {"alloc_shared_noncontig", "false"}};

/// Copies from `wanted` the hints that such objects have.
void take_hints(info& into, const info& wanted, std::span<const hint_key> known);
/// Returns every hint of such an object with its value.
info all_hints(const info& told, std::span<const hint_key> known);

}  // namespace onehop::mpi_abi
