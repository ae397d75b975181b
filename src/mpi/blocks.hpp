#pragma once
/// Collectives that move blocks between ranks.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mpi/collective.hpp"

namespace onehop::mpi_abi {

/// A kept_buffer is `count` elements in the caller's memory, and keeps their datatype alive.
struct kept_buffer {
  void* data;
  std::size_t count;
  datatype_ptr type;

  operator typed_buffer() const noexcept { return {data, count, type}; }
};
/// Returns nothing for MPI_IN_PLACE. Throws mpi_error as `checked` does.
std::optional<kept_buffer> kept(const void* data, std::ptrdiff_t count, MPI_Datatype type);

/// A block_list describes the blocks of all ranks, or of all neighbours, in a caller's buffer.
class block_list {
 public:
  block_list() = default;
  /// All blocks have the same length and follow each other.
  block_list(const void* data, std::ptrdiff_t count, MPI_Datatype type);
  /// Each block has its own length and displacement, counted in elements of one datatype.
  template <class Count, class Place>
  block_list(const void* data, std::span<const Count> counts, const Place* places,
             MPI_Datatype type)
      : block_list(data, 0, type) {
    require_list(places, std::ssize(counts));
    for (std::size_t i = 0; i < counts.size(); ++i)
      add(counts[i], static_cast<std::ptrdiff_t>(places[i]) * types_[0]->extent());
  }
  /// Each block has its own length, displacement in bytes, and datatype.
  template <class Count, class Place>
  block_list(const void* data, std::span<const Count> counts, const Place* places,
             const MPI_Datatype* types)
      : data_(const_cast<void*>(data)) {
    require_list(places, std::ssize(counts));
    require_list(types, std::ssize(counts));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      types_.push_back(checked(data, 0, types[i]).type);
      add(counts[i], places[i]);
    }
  }

  typed_buffer of(int index) const;

 private:
  void add(std::ptrdiff_t count, std::ptrdiff_t place);

  void* data_ = nullptr;
  std::vector<datatype_ptr> types_;  ///< one for all blocks, or one per block
  std::size_t count_ = 0;            ///< the count of every block if all are equal
  std::vector<std::size_t> counts_;
  std::vector<std::ptrdiff_t> places_;  ///< in bytes
};

/// Gathers the blocks of all ranks at the root. `mine` is this rank's block, or nothing if the
/// root's block is in its place already; only the root uses `all`. In an intercommunicator the root
/// gathers the blocks of the other group.
void gather(const communicator_ptr& comm, const std::optional<kept_buffer>& mine,
            const block_list& all, int root);
void scatter(const communicator_ptr& comm, const block_list& all,
             const std::optional<kept_buffer>& mine, int root);
void all_gather(const communicator_ptr& comm, const std::optional<kept_buffer>& mine,
                const block_list& blocks);
/// No list to send from means MPI_IN_PLACE: the blocks sent are those that will be overwritten.
void all_to_all(const communicator_ptr& comm, const std::optional<block_list>& from,
                const block_list& to);

/// A neighbourhood lists the ranks that this rank receives from and sends to; MPI_PROC_NULL stands
/// for no rank. Throws mpi_error if the communicator has no topology.
struct neighbourhood {
  std::vector<int> from{}, to{};
  bool cartesian = false;
};
neighbourhood neighbours_of(const communicator& comm);
/// Receives block i of `in` from neighbour i, and sends block i of `out` to neighbour i. If `out`
/// is empty, all neighbours are sent the same block, `same`.
void exchange_with_neighbours(const communicator_ptr& comm, const std::optional<block_list>& out,
                              const std::optional<kept_buffer>& same, const block_list& in);

}  // namespace onehop::mpi_abi
