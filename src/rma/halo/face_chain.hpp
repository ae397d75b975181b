#pragma once
/// Every halo exchange uses a face_chain, which is a put chain whose puts are faces.

#include <onehop/put_chain.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace onehop {

/// A face_route is one put of every rank to the next rank along one shift of the grid. All ranks
/// list the same routes in the same order, even ranks that send or receive nothing along some of
/// them.
struct face_route {
  int target = -1;           ///< rank that this rank sends to
  int origin = -1;           ///< rank that this rank receives from
  local_view source;         ///< what this rank sends; without data the face is packed before each
                             ///< start
  std::size_t received = 0;  ///< bytes that come from `origin`; 0 receives nothing
  std::size_t place = 0;     ///< offset in the window where it arrives, the same on all ranks
};

struct face_chain_options {
  /// The stream, and whether it waits, matter only if memory of a device is used; see
  /// put_chain::set_stream and put_chain::wait_on_stream.
  void* stream = nullptr;
  bool wait_on_stream = false;
};

class face_chain {
 public:
  /// The constructor is collective. `memory` has room for the arrivals of all routes.
  face_chain(const context& ctx, const window& memory, std::span<const face_route> routes,
             const face_chain_options& how = {});

  bool sends(std::size_t route) const noexcept { return faces_[route].slot.index >= 0; }
  bool receives(std::size_t route) const noexcept { return faces_[route].arrival.index >= 0; }
  /// Returns where the packed face for the coming start has to be written.
  std::span<std::byte> target(std::size_t route) const {
    return chain_.target_view(faces_[route].slot);
  }
  /// Returns whether `target` is best written by stores that bypass the caches.
  bool streaming(std::size_t route) const { return chain_.streaming(faces_[route].slot); }

  void start() {
    if (!empty_) chain_.start();
  }
  void start_partial() {
    if (!empty_) chain_.start_partial();
  }
  void ready(std::size_t route) { chain_.ready(faces_[route].slot); }
  void wait() {
    if (!empty_) chain_.wait();
  }
  void wait(std::size_t route) { chain_.wait(faces_[route].arrival); }
  bool test() { return empty_ || chain_.test(); }
  bool test(std::size_t route) { return chain_.test(faces_[route].arrival); }
  void synchronise() {
    if (!empty_) chain_.synchronise();
  }
  /// Returns the data of a route whose arrival was seen. It is valid until the next start.
  std::span<const std::byte> arrived(std::size_t route) const {
    return chain_.arrived(faces_[route].arrival);
  }
  std::string describe() const { return chain_.describe(); }

 private:
  struct face {
    put_slot slot;
    notification arrival;
  };

  put_chain chain_;
  std::vector<face> faces_;
  bool empty_ = true;
};

}  // namespace onehop
