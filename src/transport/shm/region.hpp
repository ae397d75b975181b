#pragma once
#include <memory>

#include "transport/stores/arena.hpp"

namespace onehop::shm {

/// A maker is a process whose end, like that of any rank, ends all processes that use the segment.
enum class maker { launcher, rank };

/// Maps the segment behind a descriptor as memory of this process. Throws as segment_mapping does.
std::shared_ptr<stores::arena> map_arena(int segment_fd, maker made_by = maker::launcher);
/// Makes a segment for ranks of this process and maps it. Throws as create_segment does, too.
std::shared_ptr<stores::arena> make_arena(int ranks);

}  // namespace onehop::shm
