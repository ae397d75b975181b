#include "ring_fit.hpp"

#include <common/instruction_sets.hpp>

namespace event_stream {

// Each namespace is defined by a build of ring_fit.cpp.
#define EVENT_STREAM_DECLARE(isa, usable) \
  namespace isa {                         \
  ring_kernels table();                   \
  }
ONEHOP_APP_ISAS(EVENT_STREAM_DECLARE)

const std::vector<ring_kernels>& usable_kernels() {
  static const std::vector<ring_kernels> found = [] {
    std::vector<ring_kernels> all;
#define EVENT_STREAM_ADD(isa, usable) \
  if (usable) all.push_back(isa::table());
    ONEHOP_APP_ISAS(EVENT_STREAM_ADD)
    return all;
  }();
  return found;
}

}  // namespace event_stream
