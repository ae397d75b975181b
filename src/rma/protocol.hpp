#pragma once
/// How one put is carried: the messages it is made of and what each of them waits for.
///
///     direct        data
///     pipelined     data, in blocks
///     rendezvous    request ->, <- grant, data
///     credit/put    <- grant as soon as the target has started the exchange, data
///     PSCW          <- grant (post), data, notice (complete)
///
/// What a message costs, copies to pinned memory and software included, is the transport's matter.

#include <cstddef>
#include <cstdint>

namespace onehop {

struct protocol {
  bool request = false;         ///< the origin asks before it sends
  bool grant = false;           ///< the target says that it is ready, when it is asked or by itself
  bool notice = false;          ///< the origin says when the data are there
  std::size_t block_bytes = 0;  ///< data go in blocks of this; 0 for one piece
};

/// Where one put of a protocol is. Plain state: the transport says what has come, and asks what is
/// next.
class protocol_run {
 public:
  enum class step { request, await_grant, data, notice, over };

  protocol_run() = default;
  protocol_run(const protocol& how, std::size_t bytes) : how_(how), bytes_(bytes) {}

  step next() const noexcept {
    if (how_.request && !requested_) return step::request;
    if (how_.grant && !granted_) return step::await_grant;
    if (!sent_) return step::data;
    return how_.notice && !noticed_ ? step::notice : step::over;
  }
  void requested() noexcept { requested_ = true; }
  void granted() noexcept { granted_ = true; }
  void sent() noexcept { sent_ = true; }
  void noticed() noexcept { noticed_ = true; }

  std::size_t blocks() const noexcept {
    return how_.block_bytes == 0 ? 1 : (bytes_ + how_.block_bytes - 1) / how_.block_bytes;
  }
  std::size_t block(std::size_t index) const noexcept {
    const bool last = index + 1 == blocks();
    return how_.block_bytes == 0 ? bytes_
           : last                ? bytes_ - index * how_.block_bytes
                                 : how_.block_bytes;
  }

 private:
  protocol how_;
  std::size_t bytes_ = 0;
  bool requested_ = false, granted_ = false, sent_ = false, noticed_ = false;
};

}  // namespace onehop
