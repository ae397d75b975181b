#pragma once
#include <memory>

#include "transport/stores/arena.hpp"

namespace onehop::shm {

/// A maker is the process whose end is the end of all that use a segment, beside any of its ranks.
enum class maker { launcher, rank };

/// Maps the segment behind a descriptor as memory of this process. Throws as segment_mapping does.
std::shared_ptr<stores::arena> map_arena(int segment_fd, maker made_by = maker::launcher);

}  // namespace onehop::shm
