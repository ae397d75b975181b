#pragma once
#include <memory>

#include "transport/stores/arena.hpp"

namespace onehop::shm {

/// A maker is the process whose end is the end of all that use a segment, beside any of its ranks.
enum class maker { launcher, rank };

/// Maps the segment behind a descriptor as memory of this process. Throws as segment_mapping does.
std::shared_ptr<stores::arena> map_arena(int segment_fd, maker made_by = maker::launcher);
/// Makes a segment for ranks of this process and maps it. Throws as create_segment does, too.
std::shared_ptr<stores::arena> make_arena(int ranks);

}  // namespace onehop::shm
