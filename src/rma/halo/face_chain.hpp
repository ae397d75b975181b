#pragma once
/// A put chain whose puts are faces: what every halo exchange is made of.

#include <onehop/put_chain.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace onehop {

/// One put of every rank, each to the next along one shift of the grid. All ranks have the same
/// routes in the same order, also those that send or receive nothing along some.
struct face_route {
  int target = -1;           ///< rank that this one sends to
  int origin = -1;           ///< rank that it receives from
  local_view source;         ///< what it sends; without data the face is packed before each start
  std::size_t received = 0;  ///< bytes from `origin`; 0 receives nothing
  std::size_t place = 0;     ///< of what arrives, in the window; the same on all ranks
};

enum class prefetch_by { chain, caller };

struct face_chain_options {
  /// Who fetches the target's lines before they are written: the caller, who can do so on the way
  /// through other work, learns from `coming` which.
  prefetch_by prefetch = prefetch_by::chain;
  /// As put_chain::set_stream and put_chain::wait_on_stream, where memory of a device takes part.
  void* stream = nullptr;
  bool wait_on_stream = false;
};

class face_chain {
 public:
  /// Collective. `memory` has a place for each route.
  face_chain(const context& ctx, const window& memory, std::span<const face_route> routes,
             const face_chain_options& how = {});

  bool sends(std::size_t route) const noexcept { return faces_[route].slot.index >= 0; }
  bool receives(std::size_t route) const noexcept { return faces_[route].arrival.index >= 0; }
  /// Where the packed face of the coming start is written.
  std::span<std::byte> target(std::size_t route) const {
    return chain_.target_view(faces_[route].slot);
  }
  /// That of the start after the one started last, which may be prefetched but not written yet;
  /// empty where nothing is sent.
  std::span<const std::byte> coming(std::size_t route) const {
    if (!sends(route)) return {};
    return chain_.next_packing(faces_[route].slot);
  }
  /// Whether `target` had better be written past the caches.
  bool streaming(std::size_t route) const { return chain_.streaming(faces_[route].slot); }

  void start() {
    if (!empty_) chain_.start();
  }
  void wait() {
    if (!empty_) chain_.wait();
  }
  void wait(std::size_t route) { chain_.wait(faces_[route].arrival); }
  bool test() { return empty_ || chain_.test(); }
  bool test(std::size_t route) { return chain_.test(faces_[route].arrival); }
  void synchronise() {
    if (!empty_) chain_.synchronise();
  }
  /// What came along a route that is seen to be in; valid until the next start.
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
