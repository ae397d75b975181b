#include "device/launch.hpp"

namespace onehop::device {

void charge(const context& ctx, const cost& what) { ctx.wire().work(what); }

}  // namespace onehop::device
