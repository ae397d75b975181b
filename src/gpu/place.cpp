#include "gpu/place.hpp"

namespace onehop::gpu {
namespace {

enum attribute {
  attribute_context = 1,
  attribute_type = 2,
  attribute_managed = 8,
  attribute_card = 9
};
constexpr unsigned type_card = 2;

}  // namespace

std::optional<place> place_of(const void* memory) {
  const driver* const known = driver::loaded();
  if (known == nullptr || memory == nullptr) return std::nullopt;
  const auto at = reinterpret_cast<driver::address>(memory);
  unsigned type = 0, managed = 0;
  // The driver has never heard of ordinary memory.
  if (known->pointer_attribute(&type, attribute_type, at) != 0 || type != type_card)
    return std::nullopt;
  if (known->pointer_attribute(&managed, attribute_managed, at) == 0 && managed != 0)
    return std::nullopt;
  place found{nullptr, 0};
  known->require(known->pointer_attribute(&found.card, attribute_card, at),
                 "cuPointerGetAttribute");
  // Memory of a pool belongs to a card and to no context.
  if (known->pointer_attribute(&found.owner, attribute_context, at) != 0 || found.owner == nullptr)
    known->require(known->retain_primary(&found.owner, found.card), "cuDevicePrimaryCtxRetain");
  return found;
}

}  // namespace onehop::gpu
