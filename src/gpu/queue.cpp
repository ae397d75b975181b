#include "gpu/queue.hpp"

#include <algorithm>
#include <utility>

namespace onehop::gpu {
namespace {

constexpr unsigned stream_non_blocking = 1;
constexpr unsigned event_disable_timing = 2;
constexpr unsigned memory_host = 1, memory_card = 2;
/// Longest distance of rows that every card's copy engine takes.
constexpr std::size_t most_pitch = std::size_t{1} << 30;

driver::address address_of(const std::byte* memory) {
  return reinterpret_cast<driver::address>(memory);
}

}  // namespace

marker::marker(driver::context owner) : owner_(owner) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner_);
  known.require(known.create_event(&event_, event_disable_timing), "cuEventCreate");
}

marker::marker(marker&& other) noexcept
    : owner_(other.owner_), event_(std::exchange(other.event_, nullptr)) {}

marker::~marker() {
  if (event_ != nullptr) driver::loaded()->destroy_event(event_);
}

bool marker::reached() const {
  const driver& known = *driver::loaded();
  const driver::result outcome = known.query_event(event_);
  if (outcome == driver::not_ready) return false;
  known.require(outcome, "cuEventQuery");
  return true;
}

void marker::set(driver::stream on) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner_);
  known.require(known.record_event(event_, on), "cuEventRecord");
}

queue::queue(driver::context owner) : driver_(*driver::loaded()), owner_(owner) {
  const entered inside(driver_, owner_);
  driver_.require(driver_.create_stream(&stream_, stream_non_blocking), "cuStreamCreate");
}

queue::~queue() {
  // What is under way reads and writes memory that may go next.
  driver_.synchronise_stream(stream_);
  driver_.destroy_stream(stream_);
}

void queue::follow(const marker& moment) {
  const entered inside(driver_, owner_);
  driver_.require(driver_.wait_event(stream_, moment.get(), 0), "cuStreamWaitEvent");
}

void queue::bring_out(const card_view& source, std::size_t first, std::size_t bytes,
                      std::byte* to) {
  const entered inside(driver_, owner_);
  while (bytes > 0) {
    const auto block = static_cast<std::ptrdiff_t>(first / source.block_bytes);
    const std::size_t within = first % source.block_bytes;
    const std::byte* const from = source.data + block * source.stride_bytes + within;
    const auto pitch = static_cast<std::size_t>(source.stride_bytes);
    std::size_t count = std::min(bytes, source.block_bytes - within);
    const bool as_rows = within == 0 && bytes >= 2 * source.block_bytes &&
                         source.stride_bytes > 0 && pitch >= source.block_bytes &&
                         pitch <= most_pitch;
    if (as_rows) {
      const std::size_t rows = bytes / source.block_bytes;
      count = rows * source.block_bytes;
      const driver::rows copy{0,
                              0,
                              memory_card,
                              nullptr,
                              address_of(from),
                              nullptr,
                              pitch,
                              0,
                              0,
                              memory_host,
                              to,
                              0,
                              nullptr,
                              source.block_bytes,
                              source.block_bytes,
                              rows};
      driver_.require(driver_.copy_rows(&copy, stream_), "cuMemcpy2DAsync");
    } else {
      driver_.require(driver_.copy_to_host(to, address_of(from), count, stream_),
                      "cuMemcpyDtoHAsync");
    }
    first += count;
    bytes -= count;
    to += count;
  }
}

void queue::bring_in(std::byte* to, const std::byte* from, std::size_t bytes) {
  const entered inside(driver_, owner_);
  driver_.require(driver_.copy_to_card(address_of(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
}

}  // namespace onehop::gpu
