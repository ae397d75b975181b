#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "transport/module.hpp"

namespace onehop {

/// Joins over the module of the MPI whose launcher this is, or of any MPI. Throws usage_error when
/// no module is there or it does not fit this library.
std::shared_ptr<onehop::transport> join_mpi(std::string_view transport,
                                            const std::optional<launcher_place>& place);

}  // namespace onehop
