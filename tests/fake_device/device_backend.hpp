#pragma once
/// This is a back end whose kernels run on the host: its memory is that of the CUDA driver without
/// a device, which only they and copies of the device may touch, and the work of its streams is
/// done as late as allowed.

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "fake_device/driver/driver.hpp"
#include "host_backend/host_launcher.hpp"

namespace test {

/// A device_arena is zeroed memory of a device in a few pieces that are opened together.
class device_arena {
 public:
  ~device_arena() {
    for (void* piece : pieces_) fake_driver::release(piece);
  }
  void* take(std::size_t bytes) {
    const std::size_t whole = (bytes + 256) / 256 * 256;
    if (pieces_.empty() || used_ + whole > piece_bytes) {
      pieces_.push_back(fake_driver::allocate(std::max(piece_bytes, whole)));
      used_ = 0;
    }
    void* const place = static_cast<std::byte*>(pieces_.back()) + used_;
    used_ += whole;
    return place;
  }
  void open(bool opened) const {
    for (void* piece : pieces_) fake_driver::open_to_host(piece, opened);
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{64} << 20U;
  std::vector<void*> pieces_;
  std::size_t used_ = 0;
};

/// This is memory of the host whose contents copies read when they are done.
using pinned_memory = std::map<const std::byte*, std::size_t>;

class device_stream final : public onehop::device::host_stream {
 public:
  device_stream(const device_arena& device, const pinned_memory& pinned)
      : device_(device), pinned_(pinned), handle_(fake_driver::make_stream()) {}
  ~device_stream() override { fake_driver::finish(handle_); }

  /// Memory of the host that is not pinned may change once this returns.
  void copy_in(void* to, const void* from, std::size_t bytes) override {
    const auto* const begin = static_cast<const std::byte*>(from);
    if (is_pinned(begin))
      return run([=] { std::copy_n(begin, bytes, static_cast<std::byte*>(to)); });
    run([to, kept = std::vector<std::byte>(begin, begin + bytes)] {
      std::ranges::copy(kept, static_cast<std::byte*>(to));
    });
  }
  void follow(onehop::device::stream& other) override {
    fake_driver::follow(handle_, static_cast<device_stream&>(other).handle_);
  }
  void synchronise() override { fake_driver::finish(handle_); }
  void* handle() const noexcept override { return handle_; }

 private:
  bool is_pinned(const std::byte* memory) const {
    const auto next = pinned_.upper_bound(memory);
    if (next == pinned_.begin()) return false;
    const auto& [begin, bytes] = *std::prev(next);
    return memory < begin + bytes;
  }
  void enqueue(onehop::device::piece_of_work work) override {
    fake_driver::enqueue(handle_, [this, work = std::move(work)] {
      device_.open(true);
      work();
      device_.open(false);
    });
  }

  const device_arena& device_;
  const pinned_memory& pinned_;
  void* handle_;
};

class device_backend final : public onehop::device::backend {
 public:
  using field_precision = onehop::field_precision;

  std::string name() const override { return "a device that is none"; }
  std::unique_ptr<onehop::device::stream> make_stream() override {
    return std::make_unique<device_stream>(device_, pinned_);
  }
  const onehop::device::kernel_table& kernels(field_precision kind) override {
    return tables_[static_cast<std::size_t>(kind)];
  }
  void set_blocks(const onehop::device::block_shapes&) override {}
  void* allocate(std::size_t bytes) override { return device_.take(bytes); }
  void release(void*) noexcept override {}
  void* allocate_host(std::size_t bytes) override {
    auto* const memory = new std::byte[bytes + 1]();
    pinned_[memory] = bytes + 1;
    return memory;
  }
  void release_host(void* memory) noexcept override {
    pinned_.erase(static_cast<std::byte*>(memory));
    delete[] static_cast<std::byte*>(memory);
  }

 private:
  device_arena device_;
  pinned_memory pinned_;
  std::array<onehop::device::kernel_table, 3> tables_ = {
      onehop::device::make_host_table<double>(field_precision::double_),
      onehop::device::make_host_table<float>(field_precision::single),
      onehop::device::make_host_table<std::int16_t>(field_precision::half)};
};

}  // namespace test
