#include "device/launch.hpp"

namespace onehop::device {

void charge(const context& ctx, const cost& what) { clock_of(ctx).work(what); }

}  // namespace onehop::device
