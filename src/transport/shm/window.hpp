#pragma once
#include <memory>

#include "transport/stores/arena.hpp"

namespace onehop::shm {

/// The segment behind a descriptor, as memory of this process. Throws as segment_mapping does.
std::shared_ptr<stores::arena> map_arena(int segment_fd);

}  // namespace onehop::shm
