#pragma once
/// Items are passed here by messages of ZeroMQ from a PUSH socket to a PULL socket, in the process
/// (inproc) or through a socket of the machine (ipc).

#include <zmq.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "benchmarks/ring_faces.hpp"

namespace onehop::bench {

/// Ends the program if a call of ZeroMQ fails.
inline void require_zmq(bool good, const char* call) {
  if (good) return;
  std::fprintf(stderr, "zmq_peer: %s: %s\n", call, zmq_strerror(zmq_errno()));
  std::exit(2);
}

struct end_zmq_context {
  void operator()(void* one) const { zmq_ctx_term(one); }
};
using zmq_context = std::shared_ptr<void>;
/// The thread of the context that moves messages between sockets starts here, on any core.
inline zmq_context make_zmq_context() {
  zmq_context made(zmq_ctx_new(), end_zmq_context());
  require_zmq(made != nullptr, "zmq_ctx_new");
  void* const first = zmq_socket(made.get(), ZMQ_PUSH);
  require_zmq(first != nullptr, "zmq_socket");
  zmq_close(first);
  return made;
}

class zmq_items {
 public:
  /// `address` is the same on both ranks of a pair and on no other rank, such as "inproc://3".
  zmq_items(zmq_context job, const ring_faces& faces, std::string name, const std::string& address)
      : job_(std::move(job)), name_(std::move(name)), bytes_(faces.bytes.front()) {
    const bool produces = faces.rank % 2 == 0;
    if (produces) {
      to_ = open(ZMQ_PUSH, ZMQ_SNDHWM);
      require_zmq(zmq_bind(to_.get(), address.c_str()) == 0, "zmq_bind");
    }
    if (!produces || faces.size == 1) {
      from_ = open(ZMQ_PULL, ZMQ_RCVHWM);
      require_zmq(zmq_connect(from_.get(), address.c_str()) == 0, "zmq_connect");
    }
  }
  std::string name() const { return name_; }

  template <class Fill>
  void produce(std::uint64_t, Fill&& fill) {
    zmq_msg_t message;
    require_zmq(zmq_msg_init_size(&message, bytes_) == 0, "zmq_msg_init_size");
    fill(std::span(static_cast<std::byte*>(zmq_msg_data(&message)), bytes_));
    require_zmq(zmq_msg_send(&message, to_.get(), 0) >= 0, "zmq_msg_send");
  }
  template <class Read>
  void consume(std::uint64_t, Read&& read) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    require_zmq(zmq_msg_recv(&message, from_.get(), 0) >= 0, "zmq_msg_recv");
    read(std::span(static_cast<const std::byte*>(zmq_msg_data(&message)), zmq_msg_size(&message)));
    zmq_msg_close(&message);
  }
  void finish() {}

 private:
  struct close_socket {
    void operator()(void* one) const { zmq_close(one); }
  };
  using socket = std::unique_ptr<void, close_socket>;

  /// Makes a socket that holds about as much as fits the caches, and at most 1000 messages, which
  /// is the default.
  socket open(int kind, int limit) const {
    socket made(zmq_socket(job_.get(), kind));
    require_zmq(made != nullptr, "zmq_socket");
    const int most = static_cast<int>(std::clamp<std::size_t>(
        (std::size_t{1} << 20) / std::max<std::size_t>(bytes_, 1), 16, 1000));
    const int linger = 0;
    require_zmq(zmq_setsockopt(made.get(), limit, &most, sizeof most) == 0 &&
                    zmq_setsockopt(made.get(), ZMQ_LINGER, &linger, sizeof linger) == 0,
                "zmq_setsockopt");
    return made;
  }

  zmq_context job_;
  std::string name_;
  std::size_t bytes_;
  socket to_, from_;
};

}  // namespace onehop::bench
