#pragma once
/// Fires a chain by storing into the targets' windows, then raising a flag there.

#include <atomic>
#include <vector>

#include "rma/wire.hpp"
#include "transport/stores/control_block.hpp"
#include "transport/stores/window.hpp"

namespace onehop::stores {

/// Lies in exposed memory, one for each index of a put or an arrival of its rank. The two words
/// have different writers and keep to lines of their own.
struct signals {
  /// Of arrival i: the exchange whose bytes are in; written by the origin.
  alignas(line_bytes) std::atomic<std::uint64_t> arrived;
  /// Of put i: the last exchange that the target has started; written by the target.
  alignas(line_bytes) std::atomic<std::uint64_t> credit;
};

class endpoint final : public engine {
 public:
  static std::size_t signal_bytes(const chain_plan& plan);

  endpoint(const chain_plan& plan, const exposed_blocks& memory, int rank, memory_id window,
           memory_id own);

  bool start(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t put) const override;
  std::string describe(std::size_t put) const override;

 private:
  struct outgoing {
    local_view source;
    std::byte* target;        ///< in bank 0
    std::size_t bank_stride;  ///< 0 for a window of one bank
    std::atomic<std::uint64_t>* arrived;
    const std::atomic<std::uint64_t>* credit;  ///< null when none is needed
    std::vector<std::byte> staging;            ///< of a packed put that may not write ahead
    std::uint64_t fired = 0;

    std::byte* bank(std::uint64_t exchange) const {
      return target + (exchange - 1) % 2 * bank_stride;
    }
    bool packed_in_place() const { return source.data == nullptr; }
  };

  outgoing make_outgoing(const planned_put& put, std::size_t index, const exposed_blocks& memory,
                         int rank, memory_id window, memory_id own) const;
  bool ready(const outgoing& put, std::uint64_t exchange) const;

  std::uint64_t banks_;
  std::vector<std::size_t> bank_stride_;
  std::uint64_t begun_ = 0;
  std::vector<outgoing> puts_;
  std::vector<const std::atomic<std::uint64_t>*> arrivals_;
  std::vector<std::atomic<std::uint64_t>*> credits_;  ///< at the origins that wait for one
};

}  // namespace onehop::stores
