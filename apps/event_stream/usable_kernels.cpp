#include "ring_fit.hpp"

#include <common/instruction_sets.hpp>

namespace event_stream {

// Each build of ring_fit.cpp has a table.
ONEHOP_APP_USABLE_KERNELS(ring_kernels)

}  // namespace event_stream
