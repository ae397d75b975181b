#include "wire.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>
#include <onehop/stream.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace event_stream {
namespace {

/// One call of the kernel sends or receives this many datagrams.
constexpr std::size_t at_once = 64;
/// Sockets request buffers of this size; the kernel grants what its administrator allows.
constexpr int wanted_buffer_bytes = 1 << 22;

[[noreturn]] void refuse(const std::string& call) {
  throw onehop::resource_error("udp: " + call + ": " + std::strerror(errno));
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// A udp_socket is bound to a port of the loopback interface and never blocks.
class udp_socket {
 public:
  udp_socket() : descriptor_(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    if (descriptor_ < 0) refuse("socket");
    const sockaddr_in address = loopback(0);
    if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      const int problem = errno;
      close(descriptor_);
      errno = problem;
      refuse("bind to 127.0.0.1");
    }
    for (const int which : {SO_RCVBUF, SO_SNDBUF})
      setsockopt(descriptor_, SOL_SOCKET, which, &wanted_buffer_bytes, sizeof wanted_buffer_bytes);
  }
  ~udp_socket() { close(descriptor_); }
  udp_socket(const udp_socket&) = delete;
  udp_socket& operator=(const udp_socket&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint16_t port() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      refuse("getsockname");
    return ntohs(address.sin_port);
  }
  std::size_t buffer_bytes() const {
    int bytes = 0;
    socklen_t size = sizeof bytes;
    if (getsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, &size) != 0) refuse("getsockopt");
    return static_cast<std::size_t>(bytes);
  }

 private:
  int descriptor_;
};

/// A message_batch is memory for datagrams in the form that sendmmsg and recvmmsg take.
struct message_batch {
  explicit message_batch(std::size_t datagram_bytes)
      : bytes(at_once * datagram_bytes), of_one(datagram_bytes) {
    for (std::size_t k = 0; k < at_once; ++k) {
      pieces[k] = {bytes.data() + k * of_one, of_one};
      messages[k].msg_hdr = {};
      messages[k].msg_hdr.msg_iov = &pieces[k];
      messages[k].msg_hdr.msg_iovlen = 1;
    }
  }
  std::span<std::byte> place(std::size_t k) { return {bytes.data() + k * of_one, of_one}; }

  std::vector<std::byte> bytes;
  std::size_t of_one;
  std::array<iovec, at_once> pieces{};
  std::array<mmsghdr, at_once> messages{};
};

/// A sender announces its end over a onehop::stream, which loses nothing. When the end has arrived,
/// all datagrams of the sender are at the receiver's socket or lost, because the loopback interface
/// delivers them within the call that sends them.
class udp_sender final : public datagram_sender {
 public:
  udp_sender(std::shared_ptr<onehop::stream> ends, std::vector<int> receivers,
             const std::vector<std::uint16_t>& ports, std::size_t datagram_bytes)
      : ends_(std::move(ends)), receivers_(std::move(receivers)) {
    for (const int receiver : receivers_) {
      queues_.push_back(std::make_unique<message_batch>(datagram_bytes));
      addresses_.push_back(loopback(ports[static_cast<std::size_t>(receiver)]));
    }
    written_.resize(receivers_.size());
    for (std::size_t r = 0; r < receivers_.size(); ++r)
      for (mmsghdr& message : queues_[r]->messages) {
        message.msg_hdr.msg_name = &addresses_[r];
        message.msg_hdr.msg_namelen = sizeof(sockaddr_in);
      }
  }

  datagram try_open(int receiver) override {
    const std::size_t r = place_of(receiver);
    if (written_[r] == at_once && !send_batch(r)) return {};
    return {queues_[r]->place(written_[r]), receivers_[r]};
  }
  void send(const datagram& opened, std::size_t bytes) override {
    const std::size_t r = place_of(opened.receiver);
    const std::span<std::byte> here = queues_[r]->place(written_[r]);
    // Datagrams before this one may have been sent since it was opened; its place has then changed.
    if (here.data() != opened.bytes.data())
      std::ranges::copy(opened.bytes.first(bytes), here.begin());
    queues_[r]->pieces[written_[r]++].iov_len = bytes;
    if (written_[r] == at_once) send_batch(r);
  }
  void push() override {
    for (std::size_t r = 0; r < receivers_.size(); ++r)
      if (written_[r] > 0) send_batch(r);
  }
  bool try_close() override {
    push();
    return std::ranges::all_of(written_, [](std::size_t n) { return n == 0; }) &&
           ends_->try_close();
  }

 private:
  std::size_t place_of(int receiver) const {
    if (receiver == any) return 0;
    return static_cast<std::size_t>(std::ranges::find(receivers_, receiver) - receivers_.begin());
  }
  /// Sends the datagrams that are written, or as many as the kernel takes now; returns true when
  /// all have been sent.
  bool send_batch(std::size_t r) {
    message_batch& batch = *queues_[r];
    const int sent = sendmmsg(socket_.descriptor(), batch.messages.data(),
                              static_cast<unsigned>(written_[r]), 0);
    if (sent < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR) refuse("sendmmsg");
    keep_rest(r, sent < 0 ? 0 : static_cast<std::size_t>(sent));
    return written_[r] == 0;
  }
  void keep_rest(std::size_t r, std::size_t sent) {
    message_batch& batch = *queues_[r];
    for (std::size_t k = sent; sent > 0 && k < written_[r]; ++k) {
      std::ranges::copy(batch.place(k).first(batch.pieces[k].iov_len),
                        batch.place(k - sent).begin());
      batch.pieces[k - sent].iov_len = batch.pieces[k].iov_len;
    }
    written_[r] -= sent;
  }

  udp_socket socket_;
  std::shared_ptr<onehop::stream> ends_;
  std::vector<int> receivers_;
  std::vector<sockaddr_in> addresses_;
  std::vector<std::unique_ptr<message_batch>> queues_;
  std::vector<std::size_t> written_;  ///< datagrams of each batch that have yet to be sent
};

class udp_receiver final : public datagram_receiver {
 public:
  udp_receiver(std::shared_ptr<onehop::stream> ends, std::unique_ptr<udp_socket> socket,
               std::size_t datagram_bytes)
      : ends_(std::move(ends)), socket_(std::move(socket)), batch_(datagram_bytes) {}

  state try_next(std::span<const std::byte>& into) override {
    if (next_ == here_ && !receive()) {
      if (all_ended_) return state::ended;
      onehop::stream::item none;
      // The ends are read first and the socket once more afterwards, so that nothing sent before an
      // end is missed.
      all_ended_ = ends_->try_next(none) == onehop::stream::state::ended;
      return state::nothing_yet;
    }
    into = batch_.place(next_).first(batch_.messages[next_].msg_len);
    ++next_;
    return state::datagram;
  }
  std::size_t kernel_buffer_bytes() const override { return socket_->buffer_bytes(); }

 private:
  bool receive() {
    const int taken =
        recvmmsg(socket_->descriptor(), batch_.messages.data(), at_once, MSG_DONTWAIT, nullptr);
    if (taken < 0 && errno != EAGAIN && errno != EINTR) refuse("recvmmsg");
    next_ = 0;
    here_ = taken < 0 ? 0 : static_cast<std::size_t>(taken);
    return here_ > 0;
  }

  std::shared_ptr<onehop::stream> ends_;
  std::unique_ptr<udp_socket> socket_;
  message_batch batch_;
  std::size_t next_ = 0, here_ = 0;
  bool all_ended_ = false;
};

/// Every rank must be able to reach every other rank's loopback interface.
void require_one_machine(const onehop::context& job) {
  const auto name = job.transport();
  if (name.starts_with("virtual:") || name == "adversary")
    throw onehop::usage_error("wire udp uses sockets of this machine, and the ranks run on " +
                              std::string(name) + ": give wire put");
  std::array<char, 64> host{};
  const std::string here = onehop::inspect_machine().host;
  std::copy_n(here.begin(), std::min(here.size(), host.size()), host.begin());
  for (const auto& other : onehop::allgather(job, host))
    if (other != host)
      throw onehop::usage_error("wire udp uses the loopback interface, and the ranks run on " +
                                std::string(host.data()) + " and " + other.data() +
                                ": give wire put");
}

}  // namespace

wire make_udp_wire(const onehop::context& job, const wire_shape& shape) {
  require_one_machine(job);
  const bool receives = std::ranges::find(shape.receivers, job.rank()) != shape.receivers.end();
  const bool sends = std::ranges::find(shape.senders, job.rank()) != shape.senders.end();
  std::unique_ptr<udp_socket> socket;
  onehop::together(job, [&] {
    if (receives) socket = std::make_unique<udp_socket>();
  });
  const auto ports = onehop::allgather(job, socket ? socket->port() : std::uint16_t{0});
  const auto ends = std::make_shared<onehop::stream>(job, shape.senders, shape.receivers,
                                                     onehop::stream_options{.largest_item = 16});
  wire made;
  if (sends)
    made.sender = std::make_unique<udp_sender>(ends, shape.receivers, ports, shape.datagram_bytes);
  if (receives)
    made.receiver = std::make_unique<udp_receiver>(ends, std::move(socket), shape.datagram_bytes);
  return made;
}

}  // namespace event_stream
