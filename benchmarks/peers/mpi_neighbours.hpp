#pragma once
/// This is the halo step by neighbourhood collectives: every face is an edge of the graph.

#include <mpi.h>

#include <utility>

#include "benchmarks/peers/mpi_features.hpp"
#include "benchmarks/peers/own_faces.hpp"

namespace onehop::bench {

class mpi_neighbour_alltoallv : public own_faces {
 public:
  explicit mpi_neighbour_alltoallv(const ring_faces& faces) : own_faces(faces) {
    const auto degree = static_cast<int>(faces.count());
    std::vector<int> origins, targets;
    const std::vector<int> weights(faces.count(), 1);
    for (std::size_t f = 0; f < faces.count(); ++f) {
      origins.push_back(faces.origin(f));
      targets.push_back(faces.target(f));
      counts_.push_back(static_cast<int>(faces.bytes[f]));
      places_.push_back(static_cast<int>(offsets_[f]));
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, origins.data(), weights.data(), degree,
                                   targets.data(), weights.data(), MPI_INFO_NULL, 0, &graph_);
  }
  ~mpi_neighbour_alltoallv() {
    if (graph_ != MPI_COMM_NULL) MPI_Comm_free(&graph_);
  }
  mpi_neighbour_alltoallv(mpi_neighbour_alltoallv&& other) noexcept
      : own_faces(std::move(other)),
        graph_(std::exchange(other.graph_, MPI_COMM_NULL)),
        counts_(std::move(other.counts_)),
        places_(std::move(other.places_)) {}

  std::string name() const { return "neighbour-alltoallv"; }
  void start() {
    MPI_Neighbor_alltoallv(sent_.at(0), counts_.data(), places_.data(), MPI_BYTE, received_.at(0),
                           counts_.data(), places_.data(), MPI_BYTE, graph_);
  }
  void wait() {}

 protected:
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<int> counts_, places_;
};

#if ONEHOP_PEER_HAS_MPI_4
class mpi_persistent_neighbours : public mpi_neighbour_alltoallv {
 public:
  explicit mpi_persistent_neighbours(const ring_faces& faces) : mpi_neighbour_alltoallv(faces) {
    MPI_Neighbor_alltoallv_init(sent_.at(0), counts_.data(), places_.data(), MPI_BYTE,
                                received_.at(0), counts_.data(), places_.data(), MPI_BYTE, graph_,
                                MPI_INFO_NULL, &request_);
  }
  ~mpi_persistent_neighbours() {
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  }
  mpi_persistent_neighbours(mpi_persistent_neighbours&& other) noexcept
      : mpi_neighbour_alltoallv(std::move(other)),
        request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}

  std::string name() const { return "persistent-neighbour"; }
  void start() { MPI_Start(&request_); }
  void wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};
#endif

}  // namespace onehop::bench
