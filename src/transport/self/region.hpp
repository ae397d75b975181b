#pragma once
#include <memory>

#include "transport/stores/arena.hpp"

namespace onehop::self {

/// Makes private memory of one rank, ready to join. Throws resource_error.
std::shared_ptr<stores::arena> make_arena();

}  // namespace onehop::self
