#pragma once
/// This endpoint fires a chain by MPI_Put, MPI_Win_flush and then a flag behind the bytes.
///
/// One passive-target epoch lasts for the whole time, so no exchange opens or closes anything.
/// Flags are written by MPI_Accumulate, which is atomic at the target, and read there by plain
/// loads: every MPI of today has the unified memory model. The puts from one rank to another share
/// a flag that counts them. With n puts per exchange, put k of exchange e has arrived once the flag
/// is at least (e - 1) n + k + 1. Before the flag is raised, the puts and the lengths of those of
/// variable size are flushed. Either all of these puts need credit or none does.

#include <array>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi_rma/region.hpp"
#include "transport/stores/signals.hpp"

namespace onehop::mpi_rma {

class endpoint final : public onehop::endpoint {
 public:
  endpoint(const chain_plan& plan, opened_window window, opened_window own);

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override;
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t) const override { return false; }
  std::string describe(std::size_t put) const override;

 private:
  struct outgoing {
    local_view source;
    int number;                         ///< number among the puts of this rank
    std::size_t to, place;              ///< index of the target, and its place among the puts there
    std::array<MPI_Aint, 2> places;     ///< displacements in the target's window, for even and for
                                        ///< odd exchanges
    std::vector<std::byte> staging;     ///< memory for a source that does not lie in one piece
    const std::size_t* size = nullptr;  ///< how much a put of variable size sends now
    std::array<MPI_Aint, 2> told{};     ///< where it tells its length, for even and for odd
                                        ///< exchanges

    bool packed() const { return source.data == nullptr; }
  };
  struct target {
    int rank;
    MPI_Aint flag;  ///< displacement of the flag in the target's signals
    const std::atomic<std::uint64_t>* credit;
    bool needs_credit;
    bool varies = false;                 ///< true where it gets puts of variable size
    std::vector<std::size_t> puts = {};  ///< puts to it, in the order of push
    /// These count the puts that have left in an exchange that is fired in part, and those that
    /// leave now.
    std::size_t left = 0, leaving = 0;
    std::uint64_t told = 0;   ///< what the flag is raised to
    std::uint64_t fired = 0;  ///< the last exchange whose puts have reached it
  };
  struct origin {
    int rank;
    const std::atomic<std::uint64_t>* arrived;
    MPI_Aint credit;  ///< displacement of the credit in the origin's signals
    bool gets_credit;
    std::uint64_t puts = 0;  ///< puts that arrive from it in an exchange
    std::uint64_t seen = 0;  ///< how many puts have brought what may be read
  };
  /// An incoming is one arrival; it holds its origin, and its index among the arrivals from there.
  struct incoming {
    std::size_t from;
    std::uint64_t place;
    int number;
  };

  /// `value` must live until the flag is flushed.
  void raise(int rank, MPI_Aint place, const std::uint64_t& value);
  void give_credits(std::uint64_t exchange);
  bool ready(const target& to, std::uint64_t exchange) const;
  /// Counts the puts before the first that is held back.
  std::size_t unheld(const target& to) const;
  void put(outgoing& out, std::uint64_t exchange);
  void finish(std::uint64_t exchange);
  bool seen(origin& from, std::uint64_t count) const;

  void plan_puts(const chain_plan& plan);
  void plan_arrivals(const chain_plan& plan);

  opened_window window_, own_;
  const stores::signals* signals_;
  std::shared_ptr<const held_puts> held_;
  std::uint64_t banks_, begun_ = 0;
  std::vector<outgoing> puts_;
  std::vector<target> targets_;  ///< every target once
  std::vector<origin> origins_;  ///< every origin once
  std::vector<incoming> arrivals_;
  std::vector<target*> moved_;  ///< targets of the start under way
};

}  // namespace onehop::mpi_rma
