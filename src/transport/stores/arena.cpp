#include "transport/stores/arena.hpp"

namespace onehop::stores {

arena::~arena() = default;

}  // namespace onehop::stores
