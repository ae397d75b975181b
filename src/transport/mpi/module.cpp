#include "transport/module.hpp"

#include <onehop/error.hpp>

#include <string>

#include "base/text.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/library.hpp"
#include "transport/mpi_p2p/transport.hpp"
#include "transport/mpi_rma/transport.hpp"

namespace onehop {

extern "C" {

[[gnu::visibility("default")]] extern const module_facts onehop_module_facts;
const module_facts onehop_module_facts{ONEHOP_MODULE_INTERFACE, ONEHOP_VERSION,
                                       mpi::used_library().name.c_str(),
                                       mpi::used_library().launcher.c_str()};

[[gnu::visibility("default")]] void onehop_module_join(const module_request& request,
                                                       std::shared_ptr<onehop::transport>& joined) {
  if (const std::string& problem = mpi::used_library().problem; !problem.empty())
    throw usage_error(text("transport ", request.transport, ": ", problem,
                           "; pip install mpich, or name the folder of another libmpi_abi.so.1 in "
                           "LD_LIBRARY_PATH"));
  const mpi::job where = mpi::join_job(request);
  if (request.transport == "mpi_rma")
    joined = std::make_shared<mpi_rma::transport>(where);
  else
    joined = std::make_shared<mpi_p2p::transport>(where);
}

}  // extern "C"

}  // namespace onehop
