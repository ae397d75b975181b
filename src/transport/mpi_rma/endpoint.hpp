#pragma once
/// Fires a chain by storing into the windows of ranks on the same machine, then raising a flag
/// there; to ranks elsewhere by MPI_Put, MPI_Win_flush and, behind the bytes, a flag.
///
/// Passive target from beginning to end: nobody has to open or close anything per exchange. Flags
/// are written by MPI_Accumulate, which is whole at the target, and read there by plain loads:
/// every MPI of today has the unified memory model. The puts from one rank to another share a flag:
/// all have been flushed before it is raised, and all need credit or none does.

#include <array>
#include <memory>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi_rma/region.hpp"
#include "transport/stores/line_hints.hpp"

namespace onehop::mpi_rma {

/// Lies in exposed memory, one for each index of a put or an arrival of its rank; used is that of
/// the first put to a rank, and of the first arrival from one. The two words have different writers
/// and keep to lines of their own.
struct signals {
  /// Of an origin's first arrival: the exchange whose bytes are in; written by the origin.
  alignas(64) std::uint64_t arrived;
  /// Of a target's first put: the last exchange that the target has started; written by it.
  alignas(64) std::uint64_t credit;
};

class endpoint final : public onehop::endpoint {
 public:
  static std::size_t signal_bytes(const chain_plan& plan);

  endpoint(const chain_plan& plan, shared_window window, shared_window own, int rank);

  bool start(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t put) const override { return puts_[put].in_place; }
  std::optional<bool> complete(std::uint64_t exchange) override;
  std::string describe(std::size_t put) const override;

 private:
  struct outgoing {
    local_view source;
    std::size_t to;  ///< index of the target
    std::unique_ptr<mpi::byte_count> bytes;
    std::array<MPI_Aint, 2> places;    ///< in the target's window, of even and of odd exchanges
    std::array<std::byte*, 2> direct;  ///< the same as addresses; null where stores do not reach
    bool in_place = false;             ///< packed straight into the target
    std::vector<std::byte> staging;    ///< of what does not lie in one piece

    bool packed() const { return source.data == nullptr; }
  };
  struct target {
    int rank;
    MPI_Aint flag;               ///< in the target's signals
    std::uint64_t* direct_flag;  ///< the same as an address; null where stores do not reach
    const std::uint64_t* credit;
    bool needs_credit;
    std::uint64_t fired = 0;  ///< the last exchange whose puts it has
  };
  struct origin {
    int rank;
    const std::uint64_t* arrived;
    MPI_Aint credit;               ///< in the origin's signals
    std::uint64_t* direct_credit;  ///< the same as an address; null where stores do not reach
    bool gets_credit;
    std::uint64_t seen = 0;  ///< the last exchange whose bytes may be read
  };

  /// `value` must live until the flag is flushed.
  void raise(int rank, MPI_Aint place, const std::uint64_t& value);
  void give_credits(std::uint64_t exchange);
  bool ready(const target& to, std::uint64_t exchange) const;
  void put(outgoing& out, std::uint64_t exchange);
  void finish(std::uint64_t exchange);
  void finish_elsewhere(std::uint64_t exchange);
  bool seen(origin& from, std::uint64_t exchange) const;

  void plan_puts(const chain_plan& plan);
  void plan_arrivals(const chain_plan& plan);
  void choose_hints(const chain_plan& plan, int rank);

  shared_window window_, own_;
  const signals* signals_;
  std::uint64_t banks_, begun_ = 0;
  std::vector<outgoing> puts_;
  std::vector<target> targets_;         ///< each once
  std::vector<origin> origins_;         ///< each once
  std::vector<std::size_t> origin_of_;  ///< of each arrival
  std::vector<target*> moved_;          ///< of the start under way
  stores::line_hints hints_;            ///< of ranks that are reached by stores
};

}  // namespace onehop::mpi_rma
