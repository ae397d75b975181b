#include "mpi/partitioned.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

partitioned_message::partitioned_message(const message_arguments& what, int partitions, bool sends)
    : comm_(communicator_of(what.comm)),
      data_(const_cast<void*>(what.buffer)),
      count_(static_cast<std::size_t>(what.count)),
      type_(datatype_of(what.type)),
      peer_(what.peer),
      tag_(what.tag),
      partitions_(partitions),
      sends_(sends) {
  if (partitions < 0) throw mpi_error(err_arg, text("the number of partitions is ", partitions));
  if (peer_ == proc_null) return;
  if (sends_)
    greet();
  else
    expect_greeting();
}

partitioned_message::~partitioned_message() {
  const bool expects = greeted_.active && !greeted_.complete;
  if (expects && state().messages && !running().withdraw(greeted_)) running().wait(greeted_);
}

void partitioned_message::greet() {
  greeting_ = {comm_->take_partition_tags(partitions_), partitions_, bytes()};
  const auto words = std::as_bytes(std::span(&greeting_, 1));
  auto sent = std::make_unique<request>();
  sent->packed.assign(words.begin(), words.end());
  describe_send(*sent, comm_, bytes_of(std::span(sent->packed)), peer_, tag_);
  sent->context = comm_->partitions();
  running().start(*sent);
  if (!sent->complete) sent.release()->detached = true;
}

void partitioned_message::expect_greeting() {
  describe_receive(greeted_, comm_, bytes_of(std::span(&greeting_, 1)), peer_, tag_);
  greeted_.context = comm_->partitions();
  running().start(greeted_);
}

void partitioned_message::begin() {
  messages_.clear();
  if (!sends_) return;
  ready_.assign(static_cast<std::size_t>(partitions_), false);
  for (int part = 0; part < partitions_; ++part) describe_partition(part);
}

/// The bytes are whole elements of this side's type, unless the other side has other partitions.
void partitioned_message::describe_partition(int part) {
  const std::size_t first = static_cast<std::size_t>(part) * greeting_.bytes;
  const std::size_t element = type_->size();
  const bool whole = element > 0 && greeting_.bytes % element == 0;
  if (!whole && greeting_.bytes > 0 && !type_->contiguous())
    throw mpi_error(
        err_type,
        text("partitions of ", greeting_.bytes, " bytes are no whole elements of the receive"),
        comm_);
  const typed_buffer where =
      whole ? typed_buffer{element_at(data_, *type_, static_cast<std::ptrdiff_t>(first / element)),
                           greeting_.bytes / element, type_}
            : bytes_of(std::span(static_cast<std::byte*>(data_) + first, greeting_.bytes));
  // Tags of the caller are never negative.
  const int tag = -3 - (greeting_.first_tag + part);
  request& one = messages_.emplace_back();
  if (sends_)
    describe_send(one, comm_, where, peer_, tag);
  else
    describe_receive(one, comm_, where, peer_, tag);
  one.context = comm_->partitions();
}

void partitioned_message::start_receives() {
  running().wait(greeted_);
  const std::size_t room = static_cast<std::size_t>(partitions_) * bytes();
  const std::size_t sent = static_cast<std::size_t>(greeting_.partitions) * greeting_.bytes;
  if (sent > room)
    throw mpi_error(err_truncate,
                    text("a message of ", sent, " bytes in partitions from rank ", peer_,
                         " with tag ", tag_, " does not fit a receive of ", room, " bytes"),
                    comm_);
  for (int part = 0; part < greeting_.partitions; ++part) describe_partition(part);
  for (request& one : messages_) running().start(one);
}

MPI_Status partitioned_message::finish() {
  if (!sends_) start_receives();
  const auto done = [this] {
    return std::ranges::all_of(messages_, [](const request& one) { return one.complete; });
  };
  running().wait(done, [this] { return missing(); });
  for (const request& one : messages_) require_success(one);
  MPI_Status status = empty_status();
  if (!sends_) set_status(status, peer_, tag_, messages_.size() * greeting_.bytes);
  return status;
}

std::vector<missing_piece> partitioned_message::missing() const {
  const int rank = comm_->rank();
  const auto late = std::ranges::find(ready_, false);
  if (late != ready_.end())
    return {{comm_->world(rank), text("rank ", rank, " has not said that partition ",
                                      late - ready_.begin(), " is ready")}};
  const char* const what = sends_ ? " has no receive for a partition" : " has sent no partition";
  return {
      {comm_->peer(peer_), text("rank ", peer_, what, " with tag ", tag_, " in ", comm_->words())}};
}

void partitioned_message::require_part(int part) const {
  if (part < 0 || part >= partitions_)
    throw mpi_error(err_arg, text("partition ", part, " is none of ", partitions_), comm_);
}

void partitioned_message::ready(int first, int last) {
  require_part(first);
  require_part(last);
  for (int part = first; part <= last; ++part) {
    const auto place = static_cast<std::size_t>(part);
    if (peer_ == proc_null) continue;
    if (ready_[place])
      throw mpi_error(err_arg, text("partition ", part, " is ready already"), comm_);
    ready_[place] = true;
    running().start(messages_[place]);
  }
  running().progress();
}

bool partitioned_message::has(int part) const {
  require_part(part);
  if (messages_.empty()) return greeting_.partitions == 0 && greeted_.complete;
  // If both sides' partitions have equal sizes, partition i is message i, even if it is empty.
  std::size_t first = static_cast<std::size_t>(part), last = first;
  if (greeting_.bytes != bytes()) {
    const bool empty = greeting_.bytes == 0 || bytes() == 0;
    last = empty ? messages_.size() : ((first + 1) * bytes() - 1) / greeting_.bytes;
    first = empty ? 0 : first * bytes() / greeting_.bytes;
  }
  for (std::size_t i = first; i < std::min(last + 1, messages_.size()); ++i)
    if (!messages_[i].complete) return false;
  return true;
}

}  // namespace onehop::mpi_abi
