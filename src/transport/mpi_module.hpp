#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "transport/module.hpp"

namespace onehop {

/// Joins over the module of the MPI whose launcher this is, or of any MPI. Throws usage_error when
/// no module is there or it does not fit this library, timeout_error when other ranks do not join
/// before the deadline.
std::shared_ptr<onehop::transport> join_mpi(std::string_view transport,
                                            const std::optional<launcher_place>& place,
                                            std::chrono::nanoseconds deadline);

}  // namespace onehop
