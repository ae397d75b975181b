#include "transport/module.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi_p2p/transport.hpp"
#include "transport/mpi_rma/transport.hpp"

namespace onehop {

extern "C" {

[[gnu::visibility("default")]] extern const module_facts onehop_module_facts;
const module_facts onehop_module_facts{ONEHOP_MODULE_INTERFACE, ONEHOP_VERSION, ONEHOP_MPI_NAME,
                                       ONEHOP_MPIRUN};

[[gnu::visibility("default")]] void onehop_module_join(const module_request& request,
                                                       std::shared_ptr<onehop::transport>& joined) {
  const mpi::job where = mpi::join_job(request);
  if (request.transport == "mpi_rma")
    joined = std::make_shared<mpi_rma::transport>(where);
  else
    joined = std::make_shared<mpi_p2p::transport>(where);
}

}  // extern "C"

}  // namespace onehop
