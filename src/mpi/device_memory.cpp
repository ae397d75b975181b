#include "mpi/device_memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "device/driver/location.hpp"
#include "device/driver/queue.hpp"
#include "mpi/errors.hpp"
#include "mpi/fiber.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

using owner = device::driver::context;

/// Returns whether this process has a driver, and so may have device memory. The look for one takes
/// a noticeable part of a short message's time, so it is made once per tick of a coarse clock. From
/// loading a driver to its first allocation takes far longer than a tick, so none is missed.
bool has_driver() noexcept {
  static std::atomic<bool> found = false;
  static std::atomic<std::int64_t> last_tick = -1;
  if (found.load(std::memory_order_relaxed)) return true;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const std::int64_t tick = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (last_tick.load(std::memory_order_relaxed) == tick) return false;
  last_tick.store(tick, std::memory_order_relaxed);
  if (device::driver::loaded() == nullptr) return false;
  found.store(true, std::memory_order_relaxed);
  return true;
}

/// Returns null for host memory. A driver may need more stack than a fiber has.
owner owner_of(const void* memory) {
  owner found = nullptr;
  fiber::call_outside([&] {
    if (const auto place = device::location_of(memory)) found = place->owner;
  });
  return found;
}

/// Segments at absolute addresses, as with MPI_BOTTOM, may be in different memories.
owner owner_of(const datatype& type, const void* buffer) {
  const auto at = [&](const datatype::segment& one) {
    return owner_of(static_cast<const std::byte*>(buffer) + one.offset);
  };
  if (type.segments().empty()) return nullptr;
  if (buffer != nullptr) return at(type.segments().front());
  for (const datatype::segment& one : type.segments())
    if (const owner found = at(one)) return found;
  return nullptr;
}

/// Queues and pinned blocks that copies use are kept for later copies.
struct kept_things {
  std::map<owner, device::queue> queues;
  std::vector<std::unique_ptr<staging::block>> idle;  ///< the block returned last is at the end
};
kept_things& kept_here() {
  static kept_things& only = *new kept_things;
  return only;
}

/// Rows are runs of equal length at equal distances, which a device copies in one operation. They
/// are in a device's memory, or in host memory if `where` is null.
struct rows {
  owner where;
  std::byte* first;
  std::size_t bytes, count;
  std::ptrdiff_t stride;

  /// Appends a run as the next row if it has the right length and distance.
  bool take(owner of, std::byte* at, std::size_t run) noexcept {
    if (of != where || run != bytes || count == 0) return false;
    const std::ptrdiff_t step = at - first - static_cast<std::ptrdiff_t>(count - 1) * stride;
    if (count == 1 ? step < static_cast<std::ptrdiff_t>(bytes) : step != stride) return false;
    stride = step;
    ++count;
    return true;
  }
};

/// Calls `each(rows)` for the first `bytes` bytes of the elements, in order.
template <class Each>
void for_each_rows(const datatype& type, std::byte* buffer, std::size_t bytes, Each&& each) {
  const owner known = buffer == nullptr ? nullptr : owner_of(type, buffer);
  if (type.contiguous()) return each(rows{known, buffer, bytes, 1, 0});
  rows next{};
  for (; bytes > 0; buffer += type.extent())
    for (const datatype::segment& one : type.segments()) {
      const std::size_t run = std::min(one.bytes, bytes);
      if (run == 0) break;
      bytes -= run;
      std::byte* const at = buffer + one.offset;
      const owner where = known != nullptr ? known : owner_of(at);
      if (next.take(where, at, run)) continue;
      if (next.count > 0) each(next);
      next = {where, at, run, 1, 0};
    }
  each(next);
}

/// Copies all rows by `on_device(queue, rows)` or `on_host(run)`, and waits for the copies.
template <class OnDevice, class OnHost>
void copy_rows(const datatype& type, void* buffer, std::size_t bytes, OnDevice&& on_device,
               OnHost&& on_host) {
  std::map<owner, device::queue>& queues = kept_here().queues;
  for_each_rows(type, static_cast<std::byte*>(buffer), bytes, [&](const rows& some) {
    if (some.where != nullptr) {
      on_device(queues.try_emplace(some.where, some.where).first->second, some);
      return;
    }
    for (std::size_t row = 0; row < some.count; ++row)
      on_host(std::span(some.first + static_cast<std::ptrdiff_t>(row) * some.stride, some.bytes));
  });
  for (auto& [where, queue] : queues) queue.finish();
}

}  // namespace

bool on_device(const datatype& type, const void* buffer) {
  if (!has_driver() || owner_of(type, buffer) == nullptr) return false;
  if (state().in_virtual_time)
    throw mpi_error(err_buffer,
                    "the buffer lies in a device's memory, and a virtual machine takes none of a "
                    "real device: give memory of the host");
  return true;
}

void pack_on_device(const datatype& type, const void* buffer, std::size_t count,
                    std::byte* packed) {
  fiber::call_outside([&] {
    copy_rows(
        type, const_cast<void*>(buffer), count * type.size(),
        [&](device::queue& copies, const rows& some) {
          copies.bring_out({some.first, some.bytes, some.stride}, 0, some.bytes * some.count,
                           packed);
          packed += some.bytes * some.count;
        },
        [&](std::span<std::byte> run) {
          std::ranges::copy(run, packed);
          packed += run.size();
        });
  });
}

void unpack_on_device(const datatype& type, std::span<const std::byte> packed, void* buffer) {
  const std::byte* from = packed.data();
  fiber::call_outside([&] {
    copy_rows(
        type, buffer, packed.size(),
        [&](device::queue& copies, const rows& some) {
          copies.bring_in(some.first, some.bytes, some.stride, from, some.bytes * some.count);
          from += some.bytes * some.count;
        },
        [&](std::span<std::byte> run) {
          std::memcpy(run.data(), from, run.size());
          from += run.size();
        });
  });
}

void staging::block::deleter::operator()(std::byte* memory) const noexcept { std::free(memory); }

staging::staging(const datatype& type, const void* buffer, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{1} << 16;
  std::vector<std::unique_ptr<block>>& idle = kept_here().idle;
  // A much larger block is not taken, since it would be missing when a large one is needed.
  const auto found = std::ranges::find_if(idle, [&](const auto& one) {
    return one->bytes >= bytes && one->bytes <= std::max(2 * bytes, least);
  });
  if (found != idle.end()) {
    block_ = std::move(*found);
    idle.erase(found);
    return;
  }
  const std::size_t unit = std::max(least, std::bit_ceil(bytes) / 8);
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  block_ = std::make_unique<block>();
  block_->memory.reset(static_cast<std::byte*>(std::aligned_alloc(least, whole)));
  if (block_->memory == nullptr)
    throw mpi_error(err_no_mem, text("there are no ", bytes, " bytes of memory left"));
  block_->bytes = whole;
  fiber::call_outside([&] {
    block_->pinned = device::pinned_pages(owner_of(type, buffer), {block_->memory.get(), whole});
  });
}

void staging::give_back() noexcept {
  constexpr std::size_t most_idle = 16;
  std::vector<std::unique_ptr<block>>& idle = kept_here().idle;
  if (idle.size() == most_idle) idle.erase(idle.begin());
  idle.push_back(std::move(block_));
}

void forget_devices() { kept_here() = {}; }

}  // namespace onehop::mpi_abi
