#include "device/driver/location.hpp"

#include <array>

namespace onehop::device {
namespace {

constexpr std::array<int, 4> attributes = {1, 2, 8, 9};  ///< context, type, managed, device
constexpr unsigned type_device = 2;

/// These are the driver's attributes of memory: zeros if it does not know the memory.
struct attribute_values {
  driver::context owner = nullptr;
  unsigned type = 0, managed = 0;
  int device = 0;
};

attribute_values values_of(const driver& known, const void* memory) {
  attribute_values found;
  std::array<void*, attributes.size()> values = {&found.owner, &found.type, &found.managed,
                                                 &found.device};
  // For memory that it does not know, the driver returns zeros rather than an error, which a
  // debugger of its calls would show for every host window.
  const auto at = reinterpret_cast<driver::address>(memory);
  if (known.pointer_attributes(attributes.size(), attributes.data(), values.data(), at) != 0)
    return {};
  return found;
}

}  // namespace

std::optional<location> location_of(const void* memory) {
  const driver* const known = driver::loaded();
  if (known == nullptr || memory == nullptr) return std::nullopt;
  const attribute_values found = values_of(*known, memory);
  if (found.type != type_device || found.managed != 0) return std::nullopt;
  location place{found.owner, found.device};
  // Memory of a pool belongs to a device but to no context.
  if (place.owner == nullptr)
    known->require(known->retain_primary(&place.owner, place.device), "cuDevicePrimaryCtxRetain");
  return place;
}

bool is_managed(const void* memory) {
  const driver* const known = driver::loaded();
  return known != nullptr && memory != nullptr && values_of(*known, memory).managed != 0;
}

}  // namespace onehop::device
