/// Put chains between devices, or between a device and a host, do the same steps as between hosts.
/// The timed steps move the bytes without touching them; the checked steps write and compare all
/// bytes.

#include <deque>
#include <onehop/collectives.hpp>

#include "benchmarks/pairs.hpp"
#include "benchmarks/ring_faces.hpp"
#include "benchmarks/touch.hpp"
#include "device/driver/peer_memory.hpp"
#include "device/driver/queue.hpp"
#include "device/driver/report.hpp"
#include "rma/halo/face_chain.hpp"
#include "solver/device_choice.hpp"

namespace onehop::bench {
namespace {

/// This is the context of the device that is assigned to this rank.
device::driver::context open_device(const context& ctx, bool may_share) {
  device::driver::context owner = nullptr;
  const device::driver_report found = device::inspect_driver();
  std::vector<std::string> buses;
  for (const device::device_report& device : found.devices) buses.push_back(device.bus);
  const auto seen = devices_seen(ctx, buses);
  together(ctx, [&] {
    if (!found.problem.empty()) throw usage_error(found.problem);
    const int device = device_of_rank(seen, ctx.rank(), may_share);
    const device::driver& known = device::driver::load();
    known.require(known.retain_primary(&owner, device), "cuDevicePrimaryCtxRetain");
  });
  return owner;
}

/// bytes_anywhere are bytes of the host or of a device; those of a device are copied to the host
/// before they are compared.
class bytes_anywhere {
 public:
  bytes_anywhere(device::driver::context owner, std::size_t bytes, bool on_device)
      : host_(bytes), owner_(owner) {
    if (on_device) device_ = std::make_unique<device::device_memory>(owner, bytes);
  }
  std::span<std::byte> place() { return {device_ ? device_->data() : host_.data(), host_.size()}; }
  std::span<std::byte> host() { return host_; }
  void to_device() {
    if (!device_) return;
    device::queue queue(owner_);
    queue.bring_in(device_->data(), host_.data(), host_.size());
    queue.finish();
  }
  void to_host() {
    device::queue queue(owner_);
    queue.bring_out({device_->data(), host_.size(), 0}, 0, host_.size(), host_.data());
    queue.finish();
  }

 private:
  std::vector<std::byte> host_;
  device::driver::context owner_;
  std::unique_ptr<device::device_memory> device_;
};

/// This is what this rank sends to one rank and receives from another at the same place; -1 means
/// none.
struct leg_face {
  int target, origin;
  std::size_t bytes, offset;
};

/// A device_leg is one chain of one rank. In its source, the rows of a message are one row length
/// apart.
class device_leg {
 public:
  device_leg(const context& ctx, const cell& what, device::driver::context owner,
             std::vector<leg_face> faces, std::size_t bytes)
      : rank_(ctx.rank()),
        rows_(what.rows),
        faces_(std::move(faces)),
        message_(rows_ > 1 ? bytes : 0),
        source_(owner, rows_ > 1 ? 2 * bytes : bytes, what.source_on_device),
        on_device_(what.window_on_device),
        ghosts_(owner, on_device_ ? bytes : 0, on_device_),
        window_(on_device_ ? window::register_existing(ctx, ghosts_.place())
                           : window::allocate(ctx, bytes)),
        chain_(ctx, window_, routes()) {}

  void move() {
    chain_.start();
    chain_.wait();
  }
  std::uint64_t move_checked(word step) {
    for (std::size_t k = 0; k < faces_.size(); ++k)
      if (faces_[k].target >= 0) write(faces_[k], seed_of(step, k, rank_));
    source_.to_device();
    move();
    if (on_device_) ghosts_.to_host();
    std::uint64_t wrong = 0;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
      const leg_face& face = faces_[k];
      if (face.origin < 0) continue;
      const std::span<const std::byte> came =
          on_device_ ? ghosts_.host().subspan(face.offset, face.bytes) : chain_.arrived(k);
      wrong += count_wrong(came, seed_of(step, k, face.origin));
    }
    return wrong;
  }
  std::string describe() const { return chain_.describe(); }

 private:
  void write(const leg_face& face, word seed) {
    if (rows_ == 1) return fill(source_.host().subspan(face.offset, face.bytes), seed);
    const std::span<std::byte> message = std::span(message_).subspan(face.offset, face.bytes);
    fill(message, seed);
    const std::size_t row = face.bytes / rows_;
    for (std::size_t r = 0; r < rows_; ++r)
      std::ranges::copy(message.subspan(r * row, row),
                        source_.host().subspan(2 * (face.offset + r * row)).begin());
  }
  local_view source_of(const leg_face& face) {
    if (face.target < 0) return {};
    const std::span<std::byte> all = source_.place();
    if (rows_ == 1) return local_view::contiguous(all.subspan(face.offset, face.bytes));
    const std::size_t row = face.bytes / rows_;
    return {all.subspan(2 * face.offset).data(), row, rows_, static_cast<std::ptrdiff_t>(2 * row)};
  }
  std::vector<face_route> routes() {
    std::vector<face_route> result;
    for (const leg_face& face : faces_)
      result.push_back({face.target, face.origin, source_of(face), face.origin < 0 ? 0 : face.bytes,
                        face.offset});
    return result;
  }

  int rank_;
  std::size_t rows_;
  std::vector<leg_face> faces_;
  std::vector<std::byte> message_;
  bytes_anywhere source_;
  bool on_device_;
  bytes_anywhere ghosts_;
  window window_;
  face_chain chain_;
};

class device_exchange final : public contender {
 public:
  device_exchange(const context& ctx, const cell& what)
      : owner_(open_device(ctx, what.share_device)) {
    if (what.pattern == "halo") {
      add_halo(ctx, what);
      return;
    }
    const bool stream = what.pattern == "bandwidth" || what.pattern == "bibandwidth";
    const bool both = what.pattern == "bibandwidth" || what.pattern == "pingping";
    const bool alone = ctx.size() == 1;
    const std::size_t messages =
        stream ? messages_of(what) : std::max<std::size_t>(1, what.messages);
    if (what.pattern != "put" && what.pattern != "latency" && !stream && !both)
      throw usage_error(
          text("benchmark '", what.pattern,
               "' knows no memory of devices: measure latency, pingping, put, bandwidth, "
               "bibandwidth or halo"));
    add_pairs(ctx, what, messages, is_first(ctx) || both, alone || both || !is_first(ctx));
    if (what.pattern == "latency" && !alone) add_pairs(ctx, what, 1, !is_first(ctx), is_first(ctx));
    bytes_ = what.bytes() * messages;
  }

  std::string name() const override { return "onehop"; }
  std::string describe() const override { return legs_.front().describe(); }
  std::size_t bytes() const override { return bytes_; }
  int hops() const override { return static_cast<int>(legs_.size()); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i)
      for (device_leg& leg : legs_) leg.move();
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i) {
      ++step_;
      for (device_leg& leg : legs_) wrong_ += leg.move_checked(step_);
    }
  }

 private:
  void add_halo(const context& ctx, const cell& what) {
    const ring_faces faces{ctx.rank(), ctx.size(), what.face_bytes};
    std::vector<leg_face> all;
    for (std::size_t face = 0; face < faces.count(); ++face)
      all.push_back(
          {faces.target(face), faces.origin(face), faces.bytes[face], faces.offset(face)});
    legs_.emplace_back(ctx, what, owner_, all, faces.offset(faces.count()));
    bytes_ = faces.total_bytes();
  }

  void add_pairs(const context& ctx, const cell& what, std::size_t messages, bool sends,
                 bool receives) {
    const int other = partner(ctx);
    const ring_faces apart{0, 1, std::vector<std::size_t>(messages, what.bytes())};
    std::vector<leg_face> all;
    for (std::size_t face = 0; face < messages; ++face)
      all.push_back({sends ? other : -1, receives ? other : -1, what.bytes(), apart.offset(face)});
    legs_.emplace_back(ctx, what, owner_, all, apart.offset(messages));
  }

  device::driver::context owner_;
  std::deque<device_leg> legs_;
  std::size_t bytes_ = 0;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_device_exchange(const context& ctx, const cell& what) {
  return std::make_unique<device_exchange>(ctx, what);
}

}  // namespace onehop::bench
