/// Put chains between devices, or between a device and a host: the same steps as between hosts. The
/// timed steps move the bytes and do not touch them; the checked ones write and compare all.

#include <deque>
#include <onehop/collectives.hpp>
#include <onehop/put_chain.hpp>

#include "benchmarks/pairs.hpp"
#include "benchmarks/ring_faces.hpp"
#include "benchmarks/touch.hpp"
#include "device/driver/peer_memory.hpp"
#include "device/driver/queue.hpp"
#include "machine/process.hpp"
#include "solver/device_choice.hpp"

namespace onehop::bench {
namespace {

/// The context of the device that this rank is dealt.
device::driver::context open_device(const context& ctx, bool may_share) {
  device::driver::context owner = nullptr;
  std::vector<std::string> machines;
  for (const boot_identity& boot : allgather(ctx, this_boot())) machines.emplace_back(boot.data());
  together(ctx, [&] {
    const device::driver& known = device::driver::load();
    int devices = 0;
    known.require(known.device_count(&devices), "cuDeviceGetCount");
    const int device = device_of_rank(machines, ctx.rank(), devices, may_share);
    known.require(known.retain_primary(&owner, device), "cuDevicePrimaryCtxRetain");
  });
  return owner;
}

/// Bytes of the host or of a device, which a test of them brings to the host.
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

struct message {
  int peer;
  std::size_t bytes, offset;
  std::size_t face;  ///< names its bytes
};

/// One chain of one rank.
class device_leg {
 public:
  device_leg(const context& ctx, const cell& what, device::driver::context owner,
             const std::vector<message>& out, const std::vector<message>& in, std::size_t bytes)
      : rank_(ctx.rank()),
        out_(out),
        in_(in),
        source_(owner, bytes, what.source_on_device),
        on_device_(what.window_on_device),
        ghosts_(owner, on_device_ ? bytes : 0, on_device_),
        window_(on_device_ ? window::register_existing(ctx, ghosts_.place())
                           : window::allocate(ctx, bytes)),
        chain_(ctx, window_) {
    for (const message& one : out_)
      chain_.push({local_view::contiguous(source_.place().subspan(one.offset, one.bytes)), one.peer,
                   one.offset});
    for (const message& one : in_) arrivals_.push_back(chain_.add_origin(one.peer));
    chain_.set_stream(nullptr);
    chain_.commit();
  }

  void move() {
    chain_.start();
    chain_.wait();
  }
  std::uint64_t move_checked(word step) {
    for (const message& one : out_)
      fill(source_.host().subspan(one.offset, one.bytes), seed_of(step, one.face, rank_));
    source_.to_device();
    move();
    if (on_device_) ghosts_.to_host();
    std::uint64_t wrong = 0;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const message& one = in_[k];
      const std::span<const std::byte> came =
          on_device_ ? ghosts_.host().subspan(one.offset, one.bytes) : chain_.arrived(arrivals_[k]);
      wrong += count_wrong(came, seed_of(step, one.face, one.peer));
    }
    return wrong;
  }
  std::string describe() const { return chain_.describe(); }

 private:
  int rank_;
  std::vector<message> out_, in_;
  bytes_anywhere source_;
  bool on_device_;
  bytes_anywhere ghosts_;
  window window_;
  put_chain chain_;
  std::vector<notification> arrivals_;
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
    std::vector<message> out, in;
    for (std::size_t face = 0; face < faces.count(); ++face) {
      const std::size_t bytes = faces.bytes[face], offset = faces.offset(face);
      out.push_back({faces.target(face), bytes, offset, face});
      in.push_back({faces.origin(face), bytes, offset, face});
    }
    legs_.emplace_back(ctx, what, owner_, out, in, faces.offset(faces.count()));
    bytes_ = faces.total_bytes();
  }

  void add_pairs(const context& ctx, const cell& what, std::size_t messages, bool sends,
                 bool receives) {
    const int other = partner(ctx);
    const ring_faces apart{0, 1, std::vector<std::size_t>(messages, what.bytes())};
    std::vector<message> all;
    for (std::size_t face = 0; face < messages; ++face)
      all.push_back({other, what.bytes(), apart.offset(face), face});
    const std::vector<message> none;
    legs_.emplace_back(ctx, what, owner_, sends ? all : none, receives ? all : none,
                       apart.offset(messages));
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
