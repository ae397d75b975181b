#include "transport/mpi_rma/transport.hpp"

#include "transport/mpi_rma/endpoint.hpp"

namespace onehop::mpi_rma {

memory_id transport::expose(std::span<const std::size_t>) {
  throw usage_error("mpi_rma exposes memory that exists: use it between machines, as mixed does");
}

std::size_t transport::endpoint_bytes(const chain_plan& plan) const {
  return stores::signal_bytes(plan);
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  return std::make_unique<endpoint>(plan, windows_.get(window), windows_.get(own));
}

}  // namespace onehop::mpi_rma
