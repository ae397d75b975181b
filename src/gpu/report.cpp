#include "gpu/report.hpp"

#include <array>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "gpu/card_kernels.hpp"

namespace onehop::gpu {
namespace {

enum attribute {
  attribute_major = 75,
  attribute_minor = 76,
  attribute_words = 92,
  attribute_flush = 98,
  /// Of the present operations, which say no more of words of 32 bits than that they exist.
  attribute_long_words = 122
};

/// What a driver does not know is not there.
int attribute_of(const driver& known, attribute which, int card) {
  int value = 0;
  return known.card_attribute(&value, which, card) == 0 ? value : 0;
}

card_report describe(const driver& known, int card, int cards) {
  std::array<char, 128> words{};
  const int length = static_cast<int>(words.size()) - 1;
  card_report found{};
  known.require(known.card_name(words.data(), length, card), "cuDeviceGetName");
  found.name = words.data();
  known.require(known.card_bus(words.data(), length, card), "cuDeviceGetPCIBusId");
  found.bus = words.data();
  found.major = attribute_of(known, attribute_major, card);
  found.minor = attribute_of(known, attribute_minor, card);
  known.require(known.card_bytes(&found.memory_bytes, card), "cuDeviceTotalMem");
  found.words = word_operations_of(known, card);
  for (int other = 0; other < cards; ++other) {
    int can = 0;
    if (other != card)
      known.require(known.reaches_peer(&can, card, other), "cuDeviceCanAccessPeer");
    if (can != 0) found.peers.push_back(other);
  }
  return found;
}

}  // namespace

word_operations word_operations_of(const driver& known, int card) {
  return {attribute_of(known, attribute_words, card) != 0 ||
              attribute_of(known, attribute_long_words, card) != 0,
          attribute_of(known, attribute_flush, card) != 0};
}

driver_report inspect_driver() {
  driver_report report;
  report.kernels_problem = find_kernels().problem;
  try {
    const driver& known = driver::load();
    int version = 0, cards = 0;
    known.require(known.driver_version(&version), "cuDriverGetVersion");
    report.version = text(version / 1000, ".", version % 1000 / 10);
    known.require(known.device_count(&cards), "cuDeviceGetCount");
    for (int card = 0; card < cards; ++card) report.cards.push_back(describe(known, card, cards));
  } catch (const error& failure) {
    report.problem = failure.what();
  }
  return report;
}

}  // namespace onehop::gpu
