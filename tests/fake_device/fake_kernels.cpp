// These are the kernels of the CUDA module, from the same functors, on the streams of the driver
// without a device. Threads run backwards, so that none may count on another.

#include <atomic>
#include <cstdlib>
#include <onehop/error.hpp>
#include <stdexcept>

#include "device/combine_values.hpp"
#include "device/driver/device_kernels.hpp"
#include "device/gather_words.hpp"
#include "fake_device/driver/driver.hpp"

namespace {

std::atomic<bool> prepared = false;
std::atomic<int> launches = 0;

template <class T>
T* seen(T* memory) {
  void* const alias = fake_driver::reach(memory);
  return alias == nullptr ? memory : static_cast<T*>(alias);
}

void prepare() {
  if (!fake_driver::in_context()) throw std::logic_error("kernels are loaded into no context");
  if (std::getenv("FAKE_KERNELS_OF_ANOTHER_DEVICE") != nullptr)
    throw onehop::resource_error("these kernels are for another device");
  prepared = true;
}

void copy(const onehop::device::strided_copy& job, void* stream) {
  if (!fake_driver::in_context()) throw std::logic_error("a launch in no context");
  if (!prepared) throw std::logic_error("a launch of a kernel that was not loaded");
  if (!fake_driver::kernels_reach(job.to))
    throw std::logic_error("a kernel writes memory that its device does not reach");
  ++launches;
  onehop::device::strided_copy here = job;
  here.from = seen(job.from);
  here.to = seen(job.to);
  fake_driver::enqueue(stream, [here] {
    onehop::device::with_words(here, [&](const auto& kernel) {
      for (std::uint32_t word = here.words; word-- > 0;) kernel(word);
    });
  });
}

void combine(const onehop::device::combine_job& job, void* stream) {
  if (!fake_driver::in_context()) throw std::logic_error("a launch in no context");
  if (!prepared) throw std::logic_error("a launch of a kernel that was not loaded");
  ++launches;
  onehop::device::combine_job here = job;
  here.into = seen(job.into);
  for (std::int32_t source = 0; source < job.sources; ++source) {
    if (!fake_driver::kernels_reach(job.from[source]) || !fake_driver::kernels_reach(job.into))
      throw std::logic_error("a kernel combines memory that its device does not reach");
    here.from[source] = seen(job.from[source]);
  }
  fake_driver::enqueue(stream, [here] {
    onehop::device::with_combining(here, [&](const auto& kernel) {
      for (std::uint32_t value = here.values; value-- > 0;) kernel(value);
    });
  });
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] extern const onehop::device::device_kernels onehop_device_kernels;
const onehop::device::device_kernels onehop_device_kernels{ONEHOP_DEVICE_KERNELS, prepare, copy,
                                                           combine};
/// For tests: how often a kernel was launched.
[[gnu::visibility("default")]] int fake_launches() { return launches; }

}  // extern "C"
