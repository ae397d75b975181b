// Streams write these words of memory and wait for them.

#include <atomic>
#include <cstdlib>

#include "fake_device/driver/state.hpp"

namespace fake_driver {
namespace {

fault broken = fault::none;

/// Returns a word in memory that another process writes as well; null once it has gone.
std::uint32_t* word_at(address word) { return reinterpret_cast<std::uint32_t*>(alias_of(word, 4)); }

}  // namespace

void set_fault(fault what) {
  const std::scoped_lock held(state().lock);
  broken = what;
}

}  // namespace fake_driver

using namespace fake_driver;

extern "C" {

int cuStreamWriteValue32_v2(void* stream, address word, std::uint32_t value, unsigned flags) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (std::getenv("FAKE_DRIVER_NO_WORDS") != nullptr) return not_supported;
  if (word_at(word) == nullptr || word % 4 != 0 || flags != 0) return invalid_value;
  ++state().found.words;
  move_by_itself(stream);
  if (broken == fault::no_write || std::getenv("FAKE_DRIVER_LOSES_WORDS") != nullptr)
    return success;
  const std::uint32_t written = broken == fault::other_value ? value ^ 3U : value;
  issue(stream, [=] {
    if (std::uint32_t* const at = word_at(word))
      std::atomic_ref(*at).store(written, std::memory_order_release);
    return true;
  });
  return success;
}

/// Waits until the word is equal, or not less in cyclic order.
int cuStreamWaitValue32_v2(void* stream, address word, std::uint32_t value, unsigned flags) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (std::getenv("FAKE_DRIVER_NO_WORDS") != nullptr) return not_supported;
  constexpr unsigned flush = 1U << 30;
  const unsigned how = flags & ~flush;
  if (word_at(word) == nullptr || word % 4 != 0 || how > 1) return invalid_value;
  ++state().found.words;
  move_by_itself(stream);
  if (broken == fault::no_wait) return success;
  issue(stream, [=] {
    std::uint32_t* const at = word_at(word);
    if (at == nullptr) return true;
    const std::uint32_t seen = std::atomic_ref(*at).load(std::memory_order_acquire);
    return how == 1 ? seen == value : static_cast<std::int32_t>(seen - value) >= 0;
  });
  return success;
}

}  // extern "C"
