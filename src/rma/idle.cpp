#include <onehop/idle.hpp>

#include "transport/base/transport.hpp"

namespace onehop {

void idle(const context& ctx, int turn, std::chrono::steady_clock::time_point until) {
  clock_of(ctx).idle(turn, until);
}

}  // namespace onehop
