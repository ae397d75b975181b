#pragma once
/// A replay goes through the orders of a rank: lines of words, each with what was computed before
/// it. `onehop simulate` makes them of a recording.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mpi/abi.hpp"

namespace onehop::recorder {

/// An orders_reader reads the words of a file, which is whole and in order.
class orders_reader {
 public:
  explicit orders_reader(std::string text) : text_(std::move(text)) {}
  /// Returns an empty word at the end.
  std::string_view word();
  std::int64_t number();
  int whole() { return static_cast<int>(number()); }
  /// Reads how many numbers there are, and these.
  std::vector<int> list();

 private:
  std::string text_;
  std::size_t at_ = 0;
};

/// A stage is what a rank has. All its messages lie in the same memory, whose content nobody reads.
class stage {
 public:
  /// `room` is for the longest message, or list of messages.
  explicit stage(std::size_t room);

  void* out() noexcept { return out_; }
  void* in() noexcept { return in_; }
  MPI_Comm comm(std::int64_t number) const { return comms_.at(number); }
  /// Keeps a communicator, in which this rank must be the one that it was.
  void keep(std::int64_t number, int rank, MPI_Comm made);
  void forget_comm(std::int64_t number) { comms_.erase(number); }
  MPI_Request& request(std::int64_t number) { return requests_[number]; }
  void forget_request(std::int64_t number) { requests_.erase(number); }
  /// Returns a type of so many bytes, and an operation that leaves its operands as they are.
  MPI_Datatype type_of(std::int64_t bytes);
  MPI_Op nothing() const noexcept { return nothing_; }

 private:
  void *out_, *in_;
  MPI_Op nothing_;
  std::unordered_map<std::int64_t, MPI_Comm> comms_;
  std::unordered_map<std::int64_t, MPI_Request> requests_;
  std::unordered_map<std::int64_t, MPI_Datatype> types_;
};

/// An order is about one of these; a rank's time is accounted by them.
enum class subject : std::uint8_t { messages, collectives, communicators };
struct order {
  subject about;
  void (*carry_out)(stage& here, orders_reader& words);
};

/// Returns what a kind of order does; null for a kind that is not known. The second function knows
/// collectives alone.
const order* order_named(std::string_view kind);
const order* collective_named(std::string_view kind);

/// The type of all messages whose elements do not matter.
inline const auto byte = mpi_abi::fixed<MPI_Datatype>(0x247);

}  // namespace onehop::recorder
