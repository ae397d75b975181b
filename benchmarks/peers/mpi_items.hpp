#pragma once
/// Items are passed here by MPI messages, with as many posted receives as messages may be in
/// flight.

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "benchmarks/page_memory.hpp"
#include "benchmarks/ring_faces.hpp"

namespace onehop::bench {

class mpi_items {
 public:
  explicit mpi_items(const ring_faces& faces)
      : bytes_(faces.bytes.front()),
        stride_((bytes_ + 127) / 128 * 128),
        partner_(faces.size == 1 ? 0 : faces.rank ^ 1),
        produces_(faces.rank % 2 == 0),
        consumes_(faces.size == 1 || !produces_),
        sent_(produces_ ? depth * stride_ : 1),
        received_(consumes_ ? depth * stride_ : 1),
        sends_(depth, MPI_REQUEST_NULL),
        receives_(depth, MPI_REQUEST_NULL) {
    for (std::size_t i = 0; consumes_ && i < depth; ++i) expect(i);
  }
  mpi_items(mpi_items&& other) = default;
  ~mpi_items() {
    for (MPI_Request& one : receives_)
      if (one != MPI_REQUEST_NULL) {
        MPI_Cancel(&one);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
      }
  }
  std::string name() const { return "isend"; }

  template <class Fill>
  void produce(std::uint64_t number, Fill&& fill) {
    const std::size_t i = number % depth;
    MPI_Wait(&sends_[i], MPI_STATUS_IGNORE);
    fill(std::span(sent_.at(i * stride_), bytes_));
    MPI_Isend(sent_.at(i * stride_), static_cast<int>(bytes_), MPI_BYTE, partner_, 0,
              MPI_COMM_WORLD, &sends_[i]);
  }
  template <class Read>
  void consume(std::uint64_t, Read&& read) {
    const std::size_t i = next_++ % depth;
    MPI_Wait(&receives_[i], MPI_STATUS_IGNORE);
    read(std::span<const std::byte>(received_.at(i * stride_), bytes_));
    expect(i);
  }
  void finish() {
    if (!consumes_) MPI_Waitall(depth, sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int depth = 16;
  void expect(std::size_t i) {
    MPI_Irecv(received_.at(i * stride_), static_cast<int>(bytes_), MPI_BYTE, partner_, 0,
              MPI_COMM_WORLD, &receives_[i]);
  }

  std::size_t bytes_, stride_;
  int partner_;
  bool produces_, consumes_;
  page_memory sent_, received_;
  std::vector<MPI_Request> sends_, receives_;
  std::size_t next_ = 0;
};

}  // namespace onehop::bench
