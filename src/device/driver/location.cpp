#include "device/driver/location.hpp"

#include <array>

namespace onehop::device {
namespace {

constexpr std::array<int, 4> attributes = {1, 2, 8, 9};  ///< context, type, managed, device
constexpr unsigned type_device = 2;

}  // namespace

std::optional<location> location_of(const void* memory) {
  const driver* const known = driver::loaded();
  if (known == nullptr || memory == nullptr) return std::nullopt;
  location found{nullptr, 0};
  unsigned type = 0, managed = 0;
  std::array<void*, attributes.size()> values = {&found.owner, &type, &managed, &found.device};
  // The driver says zeros of memory that it does not know, without an error that a debugger of its
  // calls would show for every window of the host.
  const auto at = reinterpret_cast<driver::address>(memory);
  if (known->pointer_attributes(attributes.size(), attributes.data(), values.data(), at) != 0 ||
      type != type_device || managed != 0)
    return std::nullopt;
  // Memory of a pool belongs to a device and to no context.
  if (found.owner == nullptr)
    known->require(known->retain_primary(&found.owner, found.device), "cuDevicePrimaryCtxRetain");
  return found;
}

}  // namespace onehop::device
