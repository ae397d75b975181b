#include "mpi/collective.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "machine/copy_bytes.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

const datatype_ptr& bytes_type() { return datatype_of(fixed<MPI_Datatype>(0x247)); }

/// In an intercommunicator, both groups have arrived once the first rank of each knows that its own
/// group has.
void barrier_between(const communicator_ptr& comm) {
  const communicator_ptr own = comm->own_group();
  barrier(*own);
  std::byte none{};
  hear_from_others(comm, std::span(&none, 0), std::span(&none, 0));
}

/// The first rank of the other group receives the data and broadcasts them in its group.
void broadcast_between(const communicator_ptr& comm, const typed_buffer& data, int root) {
  if (root == root_here) send_one(comm, data, 0);
  if (root < 0) return;
  const communicator_ptr own = comm->own_group();
  if (own->rank() == 0) receive_one(comm, data, root);
  broadcast(own, data, 0);
}

/// Copies the bytes from or to a device only once, even if this rank forwards them to several
/// others.
void broadcast_on_device(const communicator_ptr& comm, const typed_buffer& data, int root) {
  const std::size_t bytes = data.count * data.type->size();
  const staging here(*data.type, data.data, bytes);
  const typed_buffer packed = bytes_of(std::span(here.data(), bytes));
  if (comm->rank() == root) copy(data, packed);
  broadcast(comm, packed, root);
  if (comm->rank() != root) copy(packed, data);
}

}  // namespace

typed_buffer bytes_of(std::span<std::byte> values) {
  return {values.data(), values.size(), bytes_type()};
}

working_buffer::working_buffer(const datatype_ptr& type, std::size_t count)
    : type_(type), count_(count) {
  const std::ptrdiff_t step = type->extent();
  const std::ptrdiff_t last = count == 0 ? 0 : step * (static_cast<std::ptrdiff_t>(count) - 1);
  // Operations move whole structs, including the padding after the last member.
  const std::ptrdiff_t lowest = std::min(type->true_lower(), type->lower());
  const std::ptrdiff_t highest =
      std::max(type->true_lower() + type->true_extent(), type->lower() + step);
  const std::ptrdiff_t begin = lowest + std::min<std::ptrdiff_t>(0, last);
  memory_.resize(static_cast<std::size_t>(highest - lowest + std::abs(last)));
  base_ = memory_.data() - begin;
}

void copy(const typed_buffer& from, const typed_buffer& to) {
  const std::size_t bytes = from.count * from.type->size();
  const std::size_t room = to.count * to.type->size();
  if (bytes > room) throw mpi_error(err_truncate, "a rank's own block is longer than its place");
  if (bytes == 0) return;
  const bool from_run = is_run_of_host(*from.type, from.data);
  const bool to_run = is_run_of_host(*to.type, to.data);
  if (from_run && to_run) return move_bytes(to.data, from.data, bytes);
  if (from_run) return to.type->unpack({static_cast<std::byte*>(from.data), bytes}, to.data);
  if (to_run) return from.type->pack(from.data, from.count, static_cast<std::byte*>(to.data));
  std::vector<std::byte> packed(bytes);
  from.type->pack(from.data, from.count, packed.data());
  to.type->unpack(packed, to.data);
}

collective_message::~collective_message() {
  if (one_.active && !one_.complete && !running().withdraw(one_)) running().wait(one_);
}

void collective_message::send(const communicator_ptr& comm, const typed_buffer& from, int to) {
  describe_send(one_, comm, from, to, comm->collective_tag());
  one_.call = comm->call();
  running().start(one_);
}

void collective_message::receive(const communicator_ptr& comm, const typed_buffer& into, int from) {
  describe_receive(one_, comm, into, from, comm->collective_tag());
  one_.call = comm->call();
  running().start(one_);
}

void collective_message::wait() {
  running().wait(one_);
  if (one_.error == success) return;
  const mpi_error failed(one_.error, one_.why, one_.comm);
  // The job ends without waiting for the other messages of the collective, which may never
  // complete.
  end_if_fatal(failed);
  throw failed;
}

void send_one(const communicator_ptr& comm, const typed_buffer& from, int to) {
  collective_message only;
  only.send(comm, from, to);
  only.wait();
}

void receive_one(const communicator_ptr& comm, const typed_buffer& into, int from) {
  collective_message only;
  only.receive(comm, into, from);
  only.wait();
}

void exchange(const communicator_ptr& comm, const typed_buffer& out, int to, const typed_buffer& in,
              int from) {
  collective_message received, sent;
  received.receive(comm, in, from);
  sent.send(comm, out, to);
  received.wait();
  sent.wait();
}

// In each step every rank receives from a rank at twice the distance of the step before.
void barrier(communicator& here) {
  const communicator_ptr comm(communicator_ptr(), &here);
  if (here.inter()) return barrier_between(comm);
  const typed_buffer nothing{nullptr, 0, bytes_type()};
  for (int distance = 1; distance < here.size(); distance *= 2)
    exchange(comm, nothing, (here.rank() + distance) % here.size(), nothing,
             (here.rank() - distance + here.size()) % here.size());
}

// Ranks are numbered from the root. The rank that sends to rank r is r without its highest bit.
void broadcast(const communicator_ptr& comm, const typed_buffer& data, int root) {
  if (comm->inter()) return broadcast_between(comm, data, root);
  if (data.count > 0 && on_device(*data.type, data.data))
    return broadcast_on_device(comm, data, root);
  const int size = comm->size();
  const int place = (comm->rank() - root + size) % size;
  const auto rank_at = [&](int other) { return (other + root) % size; };
  const int highest = place == 0 ? 0 : 1 << (std::bit_width(static_cast<unsigned>(place)) - 1);
  if (place != 0) receive_one(comm, data, rank_at(place - highest));
  message_round on(comm);
  const int first = place == 0 ? 1 : 2 * highest;
  // The largest subtree gets the data first.
  int distance = first;
  while (place + distance < size) distance *= 2;
  for (distance /= 2; distance >= first; distance /= 2)
    if (place + distance < size) on.send(data, rank_at(place + distance));
  on.wait();
}

// A rank combines the values of consecutive ranks, beginning with itself, in order. The trailing
// zero bits of its number say how many.
void reduce_to_first(const communicator_ptr& comm, const reduction_of& how, void* values) {
  working_buffer theirs(how.type, how.count);
  const typed_buffer mine{values, how.count, how.type};
  for (int distance = 1; distance < comm->size(); distance *= 2) {
    if ((comm->rank() & distance) != 0) {
      send_one(comm, mine, comm->rank() - distance);
      return;
    }
    if (comm->rank() + distance >= comm->size()) continue;
    receive_one(comm, theirs.whole(), comm->rank() + distance);
    // The operation stores its result in its right operand.
    how.combine(values, theirs.data());
    copy(theirs.whole(), mine);
  }
}

void all_reduce(const communicator_ptr& comm, const reduction_of& how, void* values) {
  const typed_buffer mine{values, how.count, how.type};
  if (!std::has_single_bit(static_cast<unsigned>(comm->size()))) {
    reduce_to_first(comm, how, values);
    broadcast(comm, mine, 0);
    return;
  }
  working_buffer theirs(how.type, how.count);
  for (int distance = 1; distance < comm->size(); distance *= 2) {
    const int other = comm->rank() ^ distance;
    exchange(comm, mine, other, theirs.whole(), other);
    // Both ranks combine the lower rank's values with the higher rank's, so that they get the same
    // bits.
    if (other < comm->rank()) {
      how.combine(theirs.data(), values);
    } else {
      how.combine(values, theirs.data());
      copy(theirs.whole(), mine);
    }
  }
}

std::uint32_t largest(const communicator_ptr& comm, std::uint32_t mine) {
  const auto handle = fixed<MPI_Datatype>(0x251);
  all_reduce(comm, {operation_of(fixed<MPI_Op>(op_max)), datatype_of(handle), handle, 1}, &mine);
  return mine;
}

// In each step a rank passes on the block that it received last.
void all_gather(const communicator_ptr& comm, std::span<std::byte> all, std::size_t bytes) {
  const int size = comm->size();
  const auto block = [&](int of) {
    const int rank = (of + size) % size;
    return typed_buffer{all.data() + static_cast<std::size_t>(rank) * bytes, bytes, bytes_type()};
  };
  for (int step = 0; step + 1 < size; ++step)
    exchange(comm, block(comm->rank() - step), (comm->rank() + 1) % size,
             block(comm->rank() - step - 1), (comm->rank() + size - 1) % size);
}

}  // namespace onehop::mpi_abi
