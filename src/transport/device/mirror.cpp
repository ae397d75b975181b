#include "transport/device/mirror.hpp"

#include <algorithm>
#include <onehop/error.hpp>

namespace onehop {
namespace {

/// Copies in pinned memory begin at cache lines, and lanes consist of whole pages.
constexpr std::size_t line_of_copies = 128, page_of_lanes = 65536;

std::size_t whole_units(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

class mirror final : public device_mirror {
 public:
  mirror(std::shared_ptr<mirror_pool> pool, device::driver::context owner,
         const std::vector<mirrored_part>& parts, const std::vector<bool>& on_device)
      : pool_(std::move(pool)) {
    std::size_t bytes = 0;
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (on_device[part]) bytes += whole_units(parts[part].bytes, line_of_copies);
    lane_ = pool_->take(owner, bytes);
    std::byte* next = lane_->memory.data();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      copies_.push_back({parts[part], parts[part].data, on_device[part]});
      if (!on_device[part]) continue;
      copies_.back().host = next;
      next += whole_units(parts[part].bytes, line_of_copies);
    }
  }
  /// If a lane's copies are not done, as after an error, it waits for them and is destroyed with
  /// this mirror, because their memory may be freed next.
  ~mirror() override {
    try {
      if (done()) pool_->give_back(std::move(lane_));
    } catch (const resource_error&) {
      // The driver has lost the device, so waiting is impossible.
      return;
    }
  }

  std::span<std::byte> host(std::size_t part) const override {
    return {copies_[part].host, copies_[part].home.bytes};
  }
  void bring_out(void* stream) override {
    lane_->followed.set(static_cast<device::driver::stream>(stream));
    lane_->copies.follow(lane_->followed);
    for (const copy& one : copies_) {
      const std::size_t bytes = one.home.bytes;
      if (one.on_device && one.home.is_read)
        lane_->copies.bring_out({one.home.data, bytes, static_cast<std::ptrdiff_t>(bytes)}, 0,
                                bytes, one.host);
    }
    lane_->copies.mark(lane_->finished);
  }
  void bring_in() override {
    for (const copy& one : copies_)
      if (one.on_device && one.home.is_written)
        lane_->copies.bring_in(one.home.data, one.host, one.home.bytes);
    lane_->copies.mark(lane_->finished);
  }
  bool done() const override { return lane_->finished.reached(); }

 private:
  struct copy {
    mirrored_part home;
    std::byte* host;
    bool on_device;
  };

  std::shared_ptr<mirror_pool> pool_;
  std::unique_ptr<mirror_lane> lane_;
  std::vector<copy> copies_;
};

}  // namespace

mirror_lane::mirror_lane(device::driver::context of, std::size_t capacity)
    : owner(of), bytes(capacity), memory(of, capacity), copies(of), followed(of), finished(of) {}

std::unique_ptr<mirror_lane> mirror_pool::take(device::driver::context owner, std::size_t bytes) {
  const auto fits = [&](const auto& lane) { return lane->owner == owner && lane->bytes >= bytes; };
  auto found = std::ranges::find_if(idle_, fits);
  if (found == idle_.end()) {
    std::erase_if(idle_, [&](const auto& lane) { return lane->owner == owner; });
    return std::make_unique<mirror_lane>(owner, whole_units(bytes, page_of_lanes));
  }
  std::unique_ptr<mirror_lane> taken = std::move(*found);
  idle_.erase(found);
  return taken;
}

std::unique_ptr<device_mirror> make_mirror(std::shared_ptr<mirror_pool> pool,
                                           device::driver::context owner,
                                           const std::vector<mirrored_part>& parts,
                                           const std::vector<bool>& on_device) {
  return std::make_unique<mirror>(std::move(pool), owner, parts, on_device);
}

}  // namespace onehop
