#pragma once
/// Fires a chain by MPI_Put, MPI_Win_flush and, behind the bytes, a flag.
///
/// Passive target from beginning to end: nobody has to open or close anything per exchange. Flags
/// are written by MPI_Accumulate, which is whole at the target, and read there by plain loads:
/// every MPI of today has the unified memory model.

#include <vector>

#include "rma/wire.hpp"
#include "transport/mpi_rma/window.hpp"

namespace onehop::mpi_rma {

/// Lies in exposed memory, one for each index of a put or an arrival of its rank. The two words
/// have different writers and keep to lines of their own.
struct signals {
  /// Of arrival i: the exchange whose bytes are in; written by the origin.
  alignas(64) std::uint64_t arrived;
  /// Of put i: the last exchange that the target has started; written by the target.
  alignas(64) std::uint64_t credit;
};

class endpoint final : public engine {
 public:
  static std::size_t signal_bytes(const chain_plan& plan);

  endpoint(const chain_plan& plan, shared_window window, shared_window own);

  bool start(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t) const override { return false; }
  std::string describe(std::size_t put) const override;

 private:
  struct outgoing {
    local_view source;
    int target;
    MPI_Aint place, bank_stride;  ///< in the target's window; stride 0 for one bank
    MPI_Aint flag;                ///< in the target's signals
    bool needs_credit;
    std::vector<std::byte> staging;  ///< of what does not lie in one piece
    std::uint64_t fired = 0;

    bool packed() const { return source.data == nullptr; }
  };
  struct incoming {
    int origin;
    MPI_Aint credit;  ///< in the origin's signals
  };

  /// `value` must live until the flag is flushed.
  void raise(int rank, MPI_Aint place, const std::uint64_t& value);
  void give_credits(std::uint64_t exchange);
  bool ready(std::size_t put, std::uint64_t exchange) const;
  void put(outgoing& out, std::uint64_t exchange);
  void finish(std::uint64_t exchange);
  std::uint64_t read(const std::uint64_t& word) const;

  shared_window window_, own_;
  const signals* signals_;
  std::uint64_t banks_, begun_ = 0;
  std::vector<outgoing> puts_;
  std::vector<incoming> credits_;   ///< arrivals that give one
  std::vector<int> targets_;        ///< each once
  std::vector<std::size_t> moved_;  ///< puts of the start under way
};

}  // namespace onehop::mpi_rma
