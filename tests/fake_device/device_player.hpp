#pragma once
/// A device_player plays one rank's part in a random chain whose sources and windows lie in memory
/// of the host or of a device, with a program on the device that writes sources late and reads
/// arrivals late.

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "fake_device/driver/driver.hpp"
#include "support/random_exchange.hpp"

namespace test {

class device_memory {
 public:
  explicit device_memory(std::size_t bytes, int device = 0)
      : memory_(fake_driver::allocate(bytes, device)), bytes_(bytes) {}
  ~device_memory() { fake_driver::release(memory_); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  std::span<std::byte> span() const { return {static_cast<std::byte*>(memory_), bytes_}; }
  std::byte* seen() const { return static_cast<std::byte*>(fake_driver::reach(memory_)); }

 private:
  void* memory_;
  std::size_t bytes_;
};

/// A device_stream is a stream of the program; its destructor waits for its work.
class device_stream {
 public:
  device_stream() : handle_(fake_driver::make_stream()) {}
  ~device_stream() { fake_driver::drop_stream(handle_); }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;
  void* handle() const { return handle_; }
  void enqueue(std::function<void()> work) const { fake_driver::enqueue(handle_, std::move(work)); }

 private:
  void* handle_;
};

/// A setting is a variable of the environment for as long as it lives.
class setting {
 public:
  setting(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~setting() { unsetenv(name_); }
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;

 private:
  const char* name_;
};

/// Returns the transports that real devices can be on.
inline const std::vector<job>& every_real_job() {
  static const std::vector<job> jobs = [] {
    std::vector<job> real = every_job();
    std::erase_if(real, [](const job& where) { return where.on_a_virtual_machine(); });
    return real;
  }();
  return jobs;
}

/// Returns how many streams, events, pinned memories and memories of other ranks the library has
/// left on this rank.
inline int left_behind() {
  const fake_driver::counts left = fake_driver::counted();
  return left.streams + left.events + left.pinned + left.mapped;
}

/// In a device_ring each rank's device puts to the next one's.
class device_ring {
 public:
  explicit device_ring(const onehop::context& ctx, std::size_t bytes = 5000)
      : device_ring(ctx, {nullptr, bytes, 1, static_cast<std::ptrdiff_t>(bytes)}) {}
  /// The source is given without an address and with a positive stride.
  device_ring(const onehop::context& ctx, onehop::local_view source, int device = 0)
      : source_(source.blocks * static_cast<std::size_t>(source.stride_bytes), device),
        ghosts_(source.bytes(), device),
        memory_(onehop::window::register_existing(ctx, ghosts_.span())),
        chain_(ctx, memory_) {
    source.data = source_.span().data();
    chain_.push({source, (ctx.rank() + 1) % ctx.size(), 0});
    arrival_ = chain_.add_origin((ctx.rank() + ctx.size() - 1) % ctx.size());
    chain_.set_stream(stream_.handle());
  }

  onehop::put_chain& chain() { return chain_; }
  onehop::notification arrival() const { return arrival_; }
  const device_stream& stream() const { return stream_; }
  std::byte* source() const { return source_.seen(); }
  const std::byte* ghosts() const { return ghosts_.seen(); }

 private:
  device_memory source_, ghosts_;
  device_stream stream_;
  onehop::window memory_;
  onehop::put_chain chain_;
  onehop::notification arrival_;
};

/// device_places says which memories may lie on devices, drawn alike on every rank.
struct device_places {
  bool window_may, sources_may;
  std::uint64_t seed;
  bool all = false;  ///< all memory lies on devices, and streams wait

  bool window_on_device(int rank) const { return all || (window_may && (seed + rank) % 3 != 0); }
  bool source_on_device(const random_put& put) const {
    if (all) return true;
    return sources_may && put.how != random_put::packed &&
           (seed + put.origin + put.number) % 3 != 0;
  }
};

class device_player {
 public:
  device_player(const onehop::context& ctx, const random_pattern& pattern, window_kind kind,
                const device_places& places)
      : ctx_(ctx),
        window_on_device_(kind == window_kind::registered && places.window_on_device(ctx.rank())),
        device_window_(pattern.window_bytes[ctx.rank()]),
        host_window_(pattern.window_bytes[ctx.rank()]),
        memory_(make_window(kind)),
        chain_(ctx, memory_) {
    for (random_put put : pattern.puts) {
      // Streams wait for puts of fixed size alone.
      put.variable = put.variable && !places.all;
      if (put.origin == ctx.rank()) add(put, places.source_on_device(put));
      if (put.target == ctx.rank()) {
        notifications_.push_back(chain_.add_origin(put.origin));
        arrivals_.push_back(put);
      }
    }
    chain_.set_stream(stream_.handle());
    if (places.all) chain_.wait_on_stream();
    chain_.commit();
  }

  /// Has the sources written, by the host now and by the device some time, and fires them.
  void start(int exchange) {
    exchange_ = exchange;
    for (outgoing& out : puts_) {
      produce(out, exchange);
      if (out.put.variable) chain_.set_bytes(out.slot, out.put.bytes_in(exchange));
    }
    chain_.start();
  }

  void finish(dice& draw) {
    for (std::uint64_t i = draw.below(3); i > 0 && !arrivals_.empty(); --i)
      consume(draw.below(arrivals_.size()));
    if (draw.below(3) == 0)
      while (!chain_.test()) {
      }
    else
      chain_.wait();
    for (outgoing& out : puts_)
      if (out.put.how != random_put::packed || out.device) produce(out, -1);
    for (std::size_t i = 0; i < arrivals_.size(); ++i) consume(i);
  }

  /// Returns the number of wrong arrivals, once the device has read all.
  int wrong() const {
    expect(fake_driver::finish(stream_.handle()), "the stream waits for ever");
    return wrong_;
  }
  onehop::put_chain& chain() { return chain_; }
  const device_stream& stream() const { return stream_; }

 private:
  struct outgoing {
    random_put put;
    std::unique_ptr<device_memory> device;
    std::vector<std::byte> host;
    std::size_t stride;
    onehop::put_slot slot;
  };

  onehop::window make_window(window_kind kind) {
    const std::size_t bytes = host_window_.size();
    if (kind != window_kind::registered)
      return onehop::window::allocate(ctx_, bytes, kind == window_kind::two_banks ? 2 : 1);
    return onehop::window::register_existing(
        ctx_, window_on_device_ ? device_window_.span() : std::span(host_window_));
  }

  void add(const random_put& put, bool on_device) {
    const std::size_t block = put.bytes / put.blocks, stride = block + 5;
    outgoing& out = puts_.emplace_back(outgoing{put, nullptr, {}, stride, {}});
    onehop::put description = onehop::put::packed(put.bytes, put.target, put.offset);
    if (put.how != random_put::packed || on_device) {
      out.host.resize(stride * put.blocks);
      if (on_device) out.device = std::make_unique<device_memory>(stride * put.blocks);
      description.source = {on_device ? out.device->span().data() : out.host.data(), block,
                            put.blocks, static_cast<std::ptrdiff_t>(stride)};
    }
    description.variable = put.variable;
    out.slot = chain_.push(description);
  }

  void produce(outgoing& out, int exchange) {
    if (out.put.how == random_put::packed && !out.device)
      return fill(chain_.target_view(out.slot), ctx_.rank(), out.put.number, exchange);
    std::byte* const to = out.device ? out.device->seen() : out.host.data();
    const auto write = [to, put = out.put, stride = out.stride, exchange] {
      std::vector<std::byte> whole(put.bytes);
      fill(whole, put.origin, put.number, exchange);
      const std::size_t block = put.bytes / put.blocks;
      for (std::size_t b = 0; b < put.blocks; ++b)
        std::memcpy(to + b * stride, &whole[b * block], block);
    };
    out.device ? stream_.enqueue(write) : write();
  }

  /// Reads an arrival, on a device in the order of its stream: perhaps after the next start.
  void consume(std::size_t arrival) {
    chain_.wait(notifications_[arrival]);
    const random_put& put = arrivals_[arrival];
    const std::span<const std::byte> bytes = chain_.arrived(notifications_[arrival]);
    expect(bytes.size() == put.bytes_in(exchange_), "size of an arrival");
    if (!window_on_device_) return expect_filled(bytes, put.origin, put.number, exchange_);
    expect(bytes.data() == device_window_.span().data() + put.offset, "its place");
    stream_.enqueue([this, put, exchange = exchange_] {
      const std::span<const std::byte> here(device_window_.seen() + put.offset,
                                            put.bytes_in(exchange));
      if (!is_filled(here, put.origin, put.number, exchange)) ++wrong_;
    });
  }

  onehop::context ctx_;
  bool window_on_device_;
  device_memory device_window_;
  std::vector<std::byte> host_window_;
  onehop::window memory_;
  std::deque<outgoing> puts_;
  std::vector<random_put> arrivals_;
  std::vector<onehop::notification> notifications_;
  std::atomic<int> wrong_ = 0;
  int exchange_ = 0;
  onehop::put_chain chain_;
  device_stream stream_;
};

}  // namespace test
