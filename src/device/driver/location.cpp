#include "device/driver/location.hpp"

namespace onehop::device {
namespace {

enum address_attribute {
  attribute_context = 1,
  attribute_type = 2,
  attribute_managed = 8,
  attribute_device = 9
};
constexpr unsigned type_device = 2;

}  // namespace

std::optional<location> location_of(const void* memory) {
  const driver* const known = driver::loaded();
  if (known == nullptr || memory == nullptr) return std::nullopt;
  const auto at = reinterpret_cast<driver::address>(memory);
  unsigned type = 0, managed = 0;
  // The driver knows nothing of ordinary memory.
  if (known->pointer_attribute(&type, attribute_type, at) != 0 || type != type_device)
    return std::nullopt;
  if (known->pointer_attribute(&managed, attribute_managed, at) == 0 && managed != 0)
    return std::nullopt;
  location found{nullptr, 0};
  known->require(known->pointer_attribute(&found.device, attribute_device, at),
                 "cuPointerGetAttribute");
  // Memory of a pool belongs to a device and to no context.
  if (known->pointer_attribute(&found.owner, attribute_context, at) != 0 || found.owner == nullptr)
    known->require(known->retain_primary(&found.owner, found.device), "cuDevicePrimaryCtxRetain");
  return found;
}

}  // namespace onehop::device
