#pragma once
/// This is the halo step by MPI messages: posted anew each time, persistent, or partitioned.

#include <mpi.h>

#include "benchmarks/peers/mpi_features.hpp"
#include "benchmarks/peers/own_faces.hpp"

namespace onehop::bench {

class mpi_plain_messages : public own_faces {
 public:
  explicit mpi_plain_messages(const ring_faces& faces)
      : own_faces(faces), requests_(2 * faces.count()) {}
  std::string name() const { return "isend"; }

  void start() {
    const std::size_t n = faces_.count();
    for (std::size_t f = 0; f < n; ++f)
      MPI_Irecv(received_.at(offsets_[f]), static_cast<int>(faces_.bytes[f]), MPI_BYTE,
                faces_.origin(f), static_cast<int>(f), MPI_COMM_WORLD, &requests_[f]);
    for (std::size_t f = 0; f < n; ++f)
      MPI_Isend(sent_.at(offsets_[f]), static_cast<int>(faces_.bytes[f]), MPI_BYTE,
                faces_.target(f), static_cast<int>(f), MPI_COMM_WORLD, &requests_[n + f]);
  }
  void wait() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<MPI_Request> requests_;
};

/// mpi_requests are requests that are made once and freed by the destructor.
class mpi_requests {
 public:
  mpi_requests() = default;
  mpi_requests(mpi_requests&&) = default;
  ~mpi_requests() {
    for (MPI_Request& one : list_) MPI_Request_free(&one);
  }
  /// Returns the place where the next request must be made, before any other call.
  MPI_Request* next() { return &list_.emplace_back(MPI_REQUEST_NULL); }
  void start() { MPI_Startall(static_cast<int>(list_.size()), list_.data()); }
  void wait() { MPI_Waitall(static_cast<int>(list_.size()), list_.data(), MPI_STATUSES_IGNORE); }
  MPI_Request& operator[](std::size_t i) { return list_[i]; }

 private:
  std::vector<MPI_Request> list_;
};

class mpi_persistent_messages : public own_faces {
 public:
  explicit mpi_persistent_messages(const ring_faces& faces) : own_faces(faces) {
    for (std::size_t f = 0; f < faces.count(); ++f)
      MPI_Recv_init(received_.at(offsets_[f]), static_cast<int>(faces.bytes[f]), MPI_BYTE,
                    faces.origin(f), static_cast<int>(f), MPI_COMM_WORLD, requests_.next());
    for (std::size_t f = 0; f < faces.count(); ++f)
      MPI_Send_init(sent_.at(offsets_[f]), static_cast<int>(faces.bytes[f]), MPI_BYTE,
                    faces.target(f), static_cast<int>(f), MPI_COMM_WORLD, requests_.next());
  }
  std::string name() const { return "persistent"; }
  void start() { requests_.start(); }
  void wait() { requests_.wait(); }

 private:
  mpi_requests requests_;
};

#if ONEHOP_PEER_HAS_MPI_4
/// An mpi_partitioned_message is one message for each neighbour with a partition for each face.
/// Partitions have the same size and follow each other.
class mpi_partitioned_message : public own_faces {
 public:
  static bool fits(const ring_faces& faces) {
    const bool even = faces.size < 3 || faces.count() % 2 == 0;
    for (const std::size_t bytes : faces.bytes)
      if (bytes != faces.bytes.front() || bytes % sizeof(std::uint64_t) != 0) return false;
    return even;
  }
  explicit mpi_partitioned_message(const ring_faces& faces)
      : own_faces(faces),
        neighbours_(faces.size > 2 ? 2 : 1),
        each_(faces.count() / neighbours_),
        bytes_(faces.bytes.front()) {
    // With two neighbours, the next rank has the even faces and comes first.
    for (std::size_t f = 0; f < faces.count(); ++f)
      offsets_[f] = bytes_ * (neighbours_ == 1 ? f : f % 2 * each_ + f / 2);
    const auto bytes = static_cast<MPI_Count>(bytes_);
    const auto each = static_cast<int>(each_);
    for (std::size_t n = 0; n < neighbours_; ++n)
      MPI_Precv_init(received_.at(n * each_ * bytes_), each, bytes, MPI_BYTE, faces.origin(n),
                     static_cast<int>(n), MPI_COMM_WORLD, MPI_INFO_NULL, requests_.next());
    for (std::size_t n = 0; n < neighbours_; ++n)
      MPI_Psend_init(sent_.at(n * each_ * bytes_), each, bytes, MPI_BYTE, faces.target(n),
                     static_cast<int>(n), MPI_COMM_WORLD, MPI_INFO_NULL, requests_.next());
  }
  std::string name() const { return "partitioned"; }
  void start() {
    requests_.start();
    for (std::size_t n = 0; n < neighbours_; ++n)
      MPI_Pready_range(0, static_cast<int>(each_) - 1, requests_[neighbours_ + n]);
  }
  void wait() { requests_.wait(); }

 private:
  std::size_t neighbours_, each_, bytes_;
  mpi_requests requests_;
};
#endif

}  // namespace onehop::bench
