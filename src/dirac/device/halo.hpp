#pragma once
/// A halo exchanges the faces of device fields between ranks.

#include "device/backend.hpp"
#include "dirac/device/field.hpp"
#include "lattice/lane_layout.hpp"
#include "rma/halo/face_chain.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <optional>

namespace onehop::device {

/// A halo serves fields of one parity. A kernel packs each face, and a chain puts it into a window
/// in the memory of the neighbour's device, by the channel that the chain has chosen for such
/// memory.
class halo {
 public:
  /// The constructor is collective. A site of a face has `reals` numbers of `real_bytes` each;
  /// fields have at most `rhs` right-hand sides.
  halo(backend& where, const lane_layout& layout, int parity, int reals, std::size_t real_bytes,
       int rhs);

  bool empty() const noexcept { return !window_; }
  /// Enqueues the packing of all faces of `in` on `copies`, after the present contents of `work`,
  /// and fires the chain after it. pack(job) enqueues the packing of one face. Both this and
  /// `receive` are collective.
  void send(stream& copies, stream& work, const field& in, const rhs_switches& active,
            const std::function<void(const pack_job&)>& pack);
  /// Makes the neighbours' faces available in this device's memory to whatever is enqueued on
  /// `work` from now on. `copies` waits for the faces if a chain can make it wait; otherwise the
  /// host waits.
  void receive(stream& copies, stream& work);
  /// If `copies` waits for other ranks, waits on the host until everything is received, and throws
  /// what put_chain::synchronise throws. Must precede any other wait for the streams.
  void synchronise();

  /// Tells hop_job where the faces are.
  void find(hop_job& job) const;
  /// Returns how long the host waited.
  std::chrono::nanoseconds waited() const noexcept { return waited_; }
  /// Returns the text of put_chain::describe; empty before the first exchange.
  std::string describe() const { return chain_ ? chain_->describe() : std::string(); }

 private:
  struct face {
    std::int32_t sent = 0, received = 0;  ///< number of sites
    int neighbour = 0;
    std::size_t place = 0;  ///< offset in the windows of all ranks
    memory list, outgoing;
  };

  /// Makes faces of this many right-hand sides travel from now on, after the present contents of
  /// `copies`. Collective.
  void reshape(stream& copies, int rhs);

  std::size_t bytes_of(std::int32_t sites) const noexcept {
    return static_cast<std::size_t>(padded_sites(sites)) * site_bytes_;
  }

  context ctx_;
  std::size_t site_bytes_;  ///< bytes of a site of one right-hand side
  int rhs_ = 0;
  std::array<face, 8> faces_;
  memory ghosts_;
  std::optional<window> window_;
  std::optional<face_chain> chain_;  ///< for the number of right-hand sides sent last
  std::chrono::nanoseconds waited_{0};
};

}  // namespace onehop::device
