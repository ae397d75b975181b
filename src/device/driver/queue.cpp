#include "device/driver/queue.hpp"

#include <algorithm>

namespace onehop::device {
namespace {

constexpr unsigned stream_non_blocking = 1;
constexpr unsigned event_disable_timing = 2;
constexpr unsigned memory_host = 1, memory_device = 2;
/// The copy engine of every device accepts rows at most this far apart.
constexpr std::ptrdiff_t most_pitch = std::ptrdiff_t{1} << 30;

bool engine_takes(std::size_t block_bytes, std::ptrdiff_t stride_bytes) {
  return stride_bytes >= static_cast<std::ptrdiff_t>(block_bytes) && stride_bytes <= most_pitch;
}

driver::address address_of(const std::byte* memory) {
  return reinterpret_cast<driver::address>(memory);
}

}  // namespace

marker::marker(driver::context owner) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  driver::event made = nullptr;
  known.require(known.create_event(&made, event_disable_timing), "cuEventCreate");
  event_ = {owner, made};
}

bool marker::reached() const {
  const driver& known = *driver::loaded();
  const entered inside(known, event_.owner());
  const driver::result outcome = known.query_event(event_.get());
  if (outcome == driver::not_ready) return false;
  known.require(outcome, "cuEventQuery");
  return true;
}

void marker::set(driver::stream on) {
  const driver& known = *driver::loaded();
  const entered inside(known, event_.owner());
  known.require(known.record_event(event_.get(), on), "cuEventRecord");
}

void marker::lead(driver::stream stream) const {
  const driver& known = *driver::loaded();
  const entered inside(known, event_.owner());
  known.require(known.wait_event(stream, event_.get(), 0), "cuStreamWaitEvent");
}

queue::queue(driver::context owner) : driver_(*driver::loaded()), owner_(owner) {
  const entered inside(driver_, owner_);
  driver_.require(driver_.create_stream(&stream_, stream_non_blocking), "cuStreamCreate");
}

queue::~queue() {
  driver::context popped = nullptr;
  if (driver_.push_context(owner_) != 0) return;
  // The destructor waits, because copies in progress read and write memory that may be freed next.
  driver_.synchronise_stream(stream_);
  driver_.destroy_stream(stream_);
  driver_.pop_context(&popped);
}

void queue::bring_out(const device_view& source, std::size_t first, std::size_t bytes,
                      std::byte* to) {
  lay_out(source, first, bytes, to, side::host);
}

void queue::copy(const device_view& source, std::size_t bytes, std::byte* to) {
  lay_out(source, 0, bytes, to, side::device);
}

bool queue::gather(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to) {
  if (source.gathered_by == nullptr) return false;
  // Only as many blocks are used as these bytes need.
  const nest blocks{(first + bytes + source.block_bytes - 1) / source.block_bytes,
                    source.stride_bytes};
  const auto job = plan_copy(source.data, source.block_bytes, {&blocks, 1}, first, bytes, to);
  if (job) source.gathered_by->copy(*job, stream_);
  return job.has_value();
}

void queue::lay_out(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to,
                    side where) {
  const entered inside(driver_, owner_);
  if (gather(source, first, bytes, to)) return;
  const bool home = where == side::host;
  const auto pitch = static_cast<std::size_t>(source.stride_bytes);
  const bool rows_fit = engine_takes(source.block_bytes, source.stride_bytes);
  while (bytes > 0) {
    const auto block = static_cast<std::ptrdiff_t>(first / source.block_bytes);
    const std::size_t within = first % source.block_bytes;
    const std::byte* const from = source.data + block * source.stride_bytes + within;
    std::size_t count = std::min(bytes, source.block_bytes - within);
    if (rows_fit && within == 0 && bytes >= 2 * source.block_bytes) {
      const std::size_t rows = bytes / source.block_bytes;
      count = rows * source.block_bytes;
      driver::rows all{};
      all.source_type = memory_device;
      all.source = address_of(from);
      all.source_pitch = pitch;
      all.target_type = home ? memory_host : memory_device;
      all.target_host = home ? to : nullptr;
      all.target = home ? 0 : address_of(to);
      all.target_pitch = all.width = source.block_bytes;
      all.height = rows;
      driver_.require(driver_.copy_rows(&all, stream_), "cuMemcpy2DAsync");
    } else if (home) {
      driver_.require(driver_.copy_to_host(to, address_of(from), count, stream_),
                      "cuMemcpyDtoHAsync");
    } else {
      driver_.require(driver_.copy(address_of(to), address_of(from), count, stream_),
                      "cuMemcpyAsync");
    }
    first += count;
    bytes -= count;
    to += count;
  }
}

void queue::bring_in(std::byte* to, const std::byte* from, std::size_t bytes) {
  const entered inside(driver_, owner_);
  driver_.require(driver_.copy_to_device(address_of(to), from, bytes, stream_),
                  "cuMemcpyHtoDAsync");
}

void queue::bring_in(std::byte* to, std::size_t block_bytes, std::ptrdiff_t stride_bytes,
                     const std::byte* from, std::size_t bytes) {
  const std::size_t whole = bytes / block_bytes;
  if (whole >= 2 && engine_takes(block_bytes, stride_bytes)) {
    driver::rows all{};
    all.source_type = memory_host;
    all.source_host = from;
    all.source_pitch = all.width = block_bytes;
    all.target_type = memory_device;
    all.target = address_of(to);
    all.target_pitch = static_cast<std::size_t>(stride_bytes);
    all.height = whole;
    const entered inside(driver_, owner_);
    driver_.require(driver_.copy_rows(&all, stream_), "cuMemcpy2DAsync");
    to += static_cast<std::ptrdiff_t>(whole) * stride_bytes;
    from += whole * block_bytes;
    bytes -= whole * block_bytes;
  }
  for (; bytes > 0; to += stride_bytes) {
    const std::size_t count = std::min(bytes, block_bytes);
    bring_in(to, from, count);
    from += count;
    bytes -= count;
  }
}

void queue::finish() {
  const entered inside(driver_, owner_);
  driver_.require(driver_.synchronise_stream(stream_), "cuStreamSynchronize");
}

}  // namespace onehop::device
