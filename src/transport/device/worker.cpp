#include "transport/device/worker.hpp"

#include <algorithm>
#include <cstdint>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "transport/device/row_packing.hpp"

namespace onehop {
namespace {

/// A kernel counts values in 32 bits.
constexpr std::size_t most_values = std::size_t{1} << 30;
/// The host handles shorter ones: two copies and its own collective take less time than kernel
/// launches and two exchanges of streams. The break-even size was not measured.
constexpr std::size_t least_bytes = 65536;

bool is_aligned(const mirrored_part& part, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(part.data) % bytes == 0;
}

}  // namespace

found_worker make_worker(device::driver::context owner, device::peer_cache& peers,
                         const std::vector<mirrored_part>& parts, const combiner* combine) {
  std::size_t bytes = 0;
  for (const mirrored_part& part : parts) bytes += part.bytes;
  if (bytes < least_bytes) return {nullptr, text("it has fewer than ", least_bytes, " bytes")};
  if (environment::read().device_channel == "staged")
    return {nullptr, "ONEHOP_DEVICE_CHANNEL is staged"};
  device::found_kernels found{};
  if (combine != nullptr) {
    if (combine->type == number_type::other || combine->state != nullptr)
      return {nullptr, "kernels do not combine values of this type"};
    for (const mirrored_part& part : parts)
      if (!is_aligned(part, combine->value_bytes))
        return {nullptr, "values lie at addresses that kernels do not take"};
    found = kernels_in(owner);
    if (found.kernels == nullptr) return {nullptr, text("no kernel, ", found.problem)};
  }
  return {std::make_unique<worker>(owner, peers, found.kernels), {}};
}

worker::worker(device::driver::context owner, device::peer_cache& peers,
               const device::device_kernels* kernels)
    : owner_(owner),
      peers_(peers),
      kernels_(kernels),
      queue_(owner),
      followed_(owner),
      finished_(owner) {}

void worker::follow(void* stream) {
  followed_.set(static_cast<device::driver::stream>(stream));
  queue_.follow(followed_);
}

std::span<std::byte> worker::landing(std::size_t bytes) {
  if (bytes == 0) return {};
  landings_.push_back(peers_.board(owner_, bytes));
  return {landings_.back()->data(), bytes};
}

void worker::copy(std::span<const std::byte> from, std::byte* to) {
  const auto stride = static_cast<std::ptrdiff_t>(from.size());
  queue_.copy({from.data(), from.size(), stride}, from.size(), to);
}

void worker::combine(std::span<const std::byte* const> from, std::size_t own,
                     std::span<std::byte> into, const combiner& how) {
  const device::entered inside(*device::driver::loaded(), owner_);
  // The partial result lies where rank 0's values were, which are no longer needed, unless they are
  // this rank's own.
  std::byte* const so_far = own == 0 ? into.data() : const_cast<std::byte*>(from[0]);
  constexpr std::size_t most = device::combine_job::most_sources;
  const std::size_t all = into.size() / how.value_bytes;
  for (std::size_t first = 0; first < all; first += most_values) {
    const std::size_t skipped = first * how.value_bytes;
    device::combine_job job{};
    job.kind = static_cast<std::int32_t>(how.kind);
    job.type = static_cast<std::int32_t>(how.type);
    job.values = static_cast<std::uint32_t>(std::min(most_values, all - first));
    job.from[0] = from[0] + skipped;
    std::size_t next = 1;
    do {
      const std::size_t more = std::min(most - 1, from.size() - next);
      for (std::size_t source = 0; source < more; ++source)
        job.from[1 + source] = from[next + source] + skipped;
      next += more;
      job.sources = static_cast<std::int32_t>(1 + more);
      job.into = (next == from.size() ? into.data() : so_far) + skipped;
      kernels_->combine(job, queue_.get());
      job.from[0] = job.into;
    } while (next < from.size());
  }
}

}  // namespace onehop
