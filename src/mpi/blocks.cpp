#include "mpi/blocks.hpp"

#include "base/text.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

std::optional<kept_buffer> kept(const void* data, std::ptrdiff_t count, MPI_Datatype type) {
  if (in_place(data)) return std::nullopt;
  const typed_buffer mine = checked(data, count, type);
  return kept_buffer{mine.data, mine.count, mine.type};
}

block_list::block_list(const void* data, std::ptrdiff_t count, MPI_Datatype type)
    : data_(const_cast<void*>(data)), types_{checked(data, count, type).type} {
  count_ = static_cast<std::size_t>(count);
}

void block_list::add(std::ptrdiff_t count, std::ptrdiff_t place) {
  if (count < 0)
    throw mpi_error(err_count, text("the count of block ", counts_.size(), " is ", count));
  counts_.push_back(static_cast<std::size_t>(count));
  places_.push_back(place);
}

typed_buffer block_list::of(int index) const {
  const auto i = static_cast<std::size_t>(index);
  const datatype_ptr& type = types_.size() == 1 ? types_[0] : types_[i];
  const std::ptrdiff_t place =
      places_.empty() ? std::ptrdiff_t{index} * static_cast<std::ptrdiff_t>(count_) * type->extent()
                      : places_[i];
  return {static_cast<std::byte*>(data_) + place, counts_.empty() ? count_ : counts_[i], type};
}

void gather(const communicator_ptr& comm, const std::optional<kept_buffer>& mine,
            const block_list& all, int root) {
  if (root == proc_null) return;
  if (!comm->is_root(root)) {
    if (!mine) throw mpi_error(err_buffer, "MPI_IN_PLACE is for the root");
    send_one(comm, *mine, root);
    return;
  }
  message_round round(comm);
  for (int rank = 0; rank < comm->peer_count(); ++rank)
    if (rank != root) round.receive(all.of(rank), rank);
  if (mine) copy(*mine, all.of(root));
  round.wait();
}

void scatter(const communicator_ptr& comm, const block_list& all,
             const std::optional<kept_buffer>& mine, int root) {
  if (root == proc_null) return;
  if (!comm->is_root(root)) {
    if (!mine) throw mpi_error(err_buffer, "MPI_IN_PLACE is for the root");
    receive_one(comm, *mine, root);
    return;
  }
  message_round round(comm);
  for (int rank = 0; rank < comm->peer_count(); ++rank)
    if (rank != root) round.send(all.of(rank), rank);
  if (mine) copy(all.of(root), *mine);
  round.wait();
}

namespace {

/// Every rank of each group sends one block to each rank of the other group.
template <class Out>
void exchange_between(const communicator_ptr& comm, bool has_blocks, Out&& out,
                      const block_list& in) {
  if (!has_blocks) throw mpi_error(err_buffer, "MPI_IN_PLACE is not for intercommunicators");
  message_round round(comm);
  for (int rank = 0; rank < comm->peer_count(); ++rank) round.receive(in.of(rank), rank);
  for (int rank = 0; rank < comm->peer_count(); ++rank) round.send(out(rank), rank);
  round.wait();
}

}  // namespace

// In each step a rank passes on the block that it received last.
void all_gather(const communicator_ptr& comm, const std::optional<kept_buffer>& mine,
                const block_list& blocks) {
  if (comm->inter())
    return exchange_between(
        comm, mine.has_value(), [&](int) { return typed_buffer(*mine); }, blocks);
  const int size = comm->size(), rank = comm->rank();
  if (mine) copy(*mine, blocks.of(rank));
  for (int step = 0; step + 1 < size; ++step)
    exchange(comm, blocks.of((rank - step + size) % size), (rank + 1) % size,
             blocks.of((rank - step - 1 + size) % size), (rank + size - 1) % size);
}

namespace {

/// Each rank starts with the rank after itself, so that they do not all send to the same rank at
/// once.
void exchange_blocks(const communicator_ptr& comm, const block_list& from, const block_list& to) {
  const int size = comm->size(), rank = comm->rank();
  message_round round(comm);
  for (int step = 1; step < size; ++step)
    round.receive(to.of((rank + size - step) % size), (rank + size - step) % size);
  for (int step = 1; step < size; ++step)
    round.send(from.of((rank + step) % size), (rank + step) % size);
  copy(from.of(rank), to.of(rank));
  round.wait();
}

/// Blocks that incoming blocks will overwrite are sent from a copy.
void exchange_in_place(const communicator_ptr& comm, const block_list& blocks) {
  std::vector<working_buffer> copies;
  copies.reserve(static_cast<std::size_t>(comm->size()));
  message_round round(comm);
  for (int rank = 0; rank < comm->size(); ++rank) {
    const typed_buffer one = blocks.of(rank);
    copies.emplace_back(one.type, one.count);
    copy(one, copies.back().whole());
  }
  for (int rank = 0; rank < comm->size(); ++rank)
    if (rank != comm->rank()) round.receive(blocks.of(rank), rank);
  for (int rank = 0; rank < comm->size(); ++rank)
    if (rank != comm->rank()) round.send(copies[static_cast<std::size_t>(rank)].whole(), rank);
  round.wait();
}

}  // namespace

void all_to_all(const communicator_ptr& comm, const std::optional<block_list>& from,
                const block_list& to) {
  if (comm->inter())
    return exchange_between(
        comm, from.has_value(), [&](int rank) { return from->of(rank); }, to);
  if (from)
    exchange_blocks(comm, *from, to);
  else
    exchange_in_place(comm, to);
}

}  // namespace onehop::mpi_abi
