#include "rma/wire.hpp"

namespace onehop {

engine::~engine() = default;
wire::~wire() = default;

}  // namespace onehop
