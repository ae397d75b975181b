#pragma once
/// Faces of device fields on their way between ranks, staged through the host.

#include "device/backend.hpp"
#include "dirac/device/field.hpp"
#include "lattice/face_exchange.hpp"

#include <array>
#include <chrono>
#include <functional>

namespace onehop::device {

/// Fields of one parity. A face is packed by a kernel, copied to pinned memory of the host, put to
/// the neighbour by a chain over whatever wire the job has, and copied to the device there.
class halo {
 public:
  /// Collective. `real_bytes` each of the `reals` per site of a face.
  halo(backend& where, const lane_layout& layout, int parity, int reals, std::size_t real_bytes);

  bool empty() const noexcept { return exchange_.empty(); }
  /// Enqueues on `copies`, after what `work` holds, the packing of all faces and their way to the
  /// host. pack(job) enqueues one.
  void pack(stream& copies, stream& work, const field_view& in,
            const std::function<void(const pack_job&)>& pack);
  /// Collective. Exchanges them and enqueues their way back; `work` then follows `copies`.
  void exchange(stream& copies, stream& work);

  /// Where hop_job finds them.
  void find(hop_job& job) const;
  std::chrono::nanoseconds waited() const noexcept { return waited_; }

 private:
  struct face {
    std::int32_t sent = 0, received = 0;  ///< sites
    memory list, outgoing, staging, ghost, landing;
  };

  context ctx_;
  std::size_t site_bytes_;
  face_exchange exchange_;
  std::array<face, 8> faces_;
  std::chrono::nanoseconds waited_{0};
};

}  // namespace onehop::device
