#pragma once
/// A replay executes the orders of a rank: lines of words, each with the computing time before it.
/// `onehop simulate` derives them from a recording.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mpi/abi.hpp"

namespace onehop::recorder {

/// An orders_reader reads the words of a file, which is complete and in order.
class orders_reader {
 public:
  explicit orders_reader(std::string text) : text_(std::move(text)) {}
  /// Returns an empty word at the end.
  std::string_view word();
  std::int64_t number();
  int whole() { return static_cast<int>(number()); }
  /// Reads a count and then as many numbers.
  std::vector<int> list();

 private:
  std::string text_;
  std::size_t at_ = 0;
};

/// A stage holds the state of a rank. All its messages use the same memory, whose content is never
/// read.
class stage {
 public:
  /// `room` must hold the longest message or list of messages.
  explicit stage(std::size_t room);

  void* out() noexcept { return out_; }
  void* in() noexcept { return in_; }
  MPI_Comm comm(std::int64_t number) const { return comms_.at(number); }
  /// Stores a communicator, in which this rank must have its recorded number.
  void keep(std::int64_t number, int rank, MPI_Comm made);
  void forget_comm(std::int64_t number) { comms_.erase(number); }
  MPI_Request& request(std::int64_t number) { return requests_[number]; }
  void forget_request(std::int64_t number) { requests_.erase(number); }
  /// Returns a type of this many bytes, and an operation that leaves its operands unchanged.
  MPI_Datatype type_of(std::int64_t bytes);
  MPI_Op nothing() const noexcept { return nothing_; }

 private:
  void *out_, *in_;
  MPI_Op nothing_;
  std::unordered_map<std::int64_t, MPI_Comm> comms_;
  std::unordered_map<std::int64_t, MPI_Request> requests_;
  std::unordered_map<std::int64_t, MPI_Datatype> types_;
};

/// An order concerns one of these subjects, by which a rank's time is accounted.
enum class subject : std::uint8_t { messages, collectives, communicators };
struct order {
  subject about;
  void (*carry_out)(stage& here, orders_reader& words);
};

/// Returns the function for a kind of order; null for an unknown kind. The second function knows
/// only collectives.
const order* order_named(std::string_view kind);
const order* collective_named(std::string_view kind);

/// This is the type of all messages, whose elements do not matter.
inline const auto byte = mpi_abi::fixed<MPI_Datatype>(0x247);

}  // namespace onehop::recorder
