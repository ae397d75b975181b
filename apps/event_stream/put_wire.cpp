#include "wire.hpp"

#include <onehop/error.hpp>
#include <onehop/stream.hpp>

#include <string>

namespace event_stream {
namespace {

class put_sender final : public datagram_sender {
 public:
  put_sender(std::shared_ptr<onehop::stream> queue, std::size_t bytes)
      : queue_(std::move(queue)), bytes_(bytes) {}

  datagram try_open(int receiver) override {
    const auto place = queue_->try_reserve(bytes_, receiver);
    if (!place) return {};
    return {place->bytes, place->consumer};
  }
  void send(const datagram& opened, std::size_t bytes) override {
    queue_->publish({opened.bytes, opened.receiver}, bytes);
  }
  void push() override { queue_->flush(); }
  bool try_close() override { return queue_->try_close(); }

 private:
  std::shared_ptr<onehop::stream> queue_;
  std::size_t bytes_;
};

class put_receiver final : public datagram_receiver {
 public:
  explicit put_receiver(std::shared_ptr<onehop::stream> queue) : queue_(std::move(queue)) {}

  state try_next(std::span<const std::byte>& into) override {
    if (held_) queue_->release(taken_);
    const auto found = queue_->try_next(taken_);
    held_ = found == onehop::stream::state::item;
    if (held_) {
      into = taken_.bytes;
      return state::datagram;
    }
    return found == onehop::stream::state::ended ? state::ended : state::nothing_yet;
  }

 private:
  std::shared_ptr<onehop::stream> queue_;
  onehop::stream::item taken_;
  bool held_ = false;
};

}  // namespace

datagram_sender::~datagram_sender() = default;
datagram_receiver::~datagram_receiver() = default;

wire_kind wire_named(std::string_view name) {
  if (name == "put") return wire_kind::put;
  if (name == "udp") return wire_kind::udp;
  throw onehop::usage_error("wire '" + std::string(name) + "' is not known: give put or udp");
}

wire make_wire(wire_kind kind, const onehop::context& job, const wire_shape& shape) {
  return kind == wire_kind::put ? make_put_wire(job, shape) : make_udp_wire(job, shape);
}

wire make_put_wire(const onehop::context& job, const wire_shape& shape) {
  const auto queue = std::make_shared<onehop::stream>(
      job, shape.senders, shape.receivers,
      onehop::stream_options{.largest_item = shape.datagram_bytes, .blocks = shape.buffers});
  wire made;
  for (const int rank : shape.senders)
    if (rank == job.rank()) made.sender = std::make_unique<put_sender>(queue, shape.datagram_bytes);
  for (const int rank : shape.receivers)
    if (rank == job.rank()) made.receiver = std::make_unique<put_receiver>(queue);
  return made;
}

}  // namespace event_stream
