#include <onehop/trace.hpp>

namespace onehop {

trace::trace(std::size_t capacity) { events_.reserve(capacity); }

}  // namespace onehop
