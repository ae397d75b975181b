#pragma once
/// Collectives that move blocks between ranks.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mpi/collective.hpp"

namespace onehop::mpi_abi {

/// A kept_buffer is `count` elements in the caller's memory, with a datatype that stays.
struct kept_buffer {
  void* data;
  std::size_t count;
  datatype_ptr type;

  operator typed_buffer() const noexcept { return {data, count, type}; }
};
/// Returns nothing for MPI_IN_PLACE; throws mpi_error as `checked` does.
std::optional<kept_buffer> kept(const void* data, std::ptrdiff_t count, MPI_Datatype type);

/// A block_list is the blocks of all ranks, or of all neighbours, in a caller's buffer.
class block_list {
 public:
  block_list() = default;
  /// The blocks have one length and lie one after the other.
  block_list(const void* data, std::ptrdiff_t count, MPI_Datatype type);
  /// Each block has a length and a displacement in elements, of one datatype.
  template <class Count, class Place>
  block_list(const void* data, std::span<const Count> counts, const Place* places,
             MPI_Datatype type)
      : block_list(data, 0, type) {
    require_list(places, std::ssize(counts));
    for (std::size_t i = 0; i < counts.size(); ++i)
      add(counts[i], static_cast<std::ptrdiff_t>(places[i]) * types_[0]->extent());
  }
  /// Each block has a length, a displacement in bytes, and a datatype.
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
  std::vector<datatype_ptr> types_;  ///< one, or one for each block
  std::size_t count_ = 0;            ///< the count of every block, where they are alike
  std::vector<std::size_t> counts_;
  std::vector<std::ptrdiff_t> places_;  ///< in bytes
};

/// Collects the blocks of all ranks at the root. `mine` is this rank's block, or nothing where it
/// lies in its place at the root already; only the root looks at `all`. In an intercommunicator the
/// blocks are those of the other group.
void gather(const communicator_ptr& comm, const std::optional<kept_buffer>& mine,
            const block_list& all, int root);
void scatter(const communicator_ptr& comm, const block_list& all,
             const std::optional<kept_buffer>& mine, int root);
void all_gather(const communicator_ptr& comm, const std::optional<kept_buffer>& mine,
                const block_list& blocks);
/// Nothing to send from stands for the blocks that are replaced by those which come.
void all_to_all(const communicator_ptr& comm, const std::optional<block_list>& from,
                const block_list& to);

/// A neighbourhood is the ranks that one hears from and sends to; MPI_PROC_NULL is no rank.
/// Throws mpi_error where the communicator has no topology.
struct neighbourhood {
  std::vector<int> from{}, to{};
  bool cartesian = false;
};
neighbourhood neighbours_of(const communicator& comm);
/// Block i of `in` comes from neighbour i, and block i of `out` goes to neighbour i; nothing in
/// `out` stands for one block, `same`, that goes to all.
void exchange_with_neighbours(const communicator_ptr& comm, const std::optional<block_list>& out,
                              const std::optional<kept_buffer>& same, const block_list& in);

}  // namespace onehop::mpi_abi
