#include "transport/mpi_rma/transport.hpp"

#include "transport/mpi_rma/endpoint.hpp"

namespace onehop::mpi_rma {

std::size_t transport::endpoint_bytes(const chain_plan& plan) const {
  return endpoint::signal_bytes(plan);
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  return std::make_unique<endpoint>(plan, windows_.get(window), windows_.get(own), rank());
}

}  // namespace onehop::mpi_rma
