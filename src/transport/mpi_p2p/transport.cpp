#include "transport/mpi_p2p/transport.hpp"

#include "base/text.hpp"
#include "transport/mpi/tags.hpp"
#include "transport/mpi_p2p/endpoint.hpp"

namespace onehop::mpi_p2p {

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  // No id is used twice, so a message can only match the chain for which it was sent.
  const std::uint64_t data_tag = mpi::tags::first_of_chains + 2 * std::uint64_t{own};
  if (data_tag + 1 > static_cast<std::uint64_t>(where().last_tag))
    throw resource_error(text("put chain and window number ", own,
                              " of this job: this MPI can tell ", where().last_tag,
                              " kinds of messages apart; commit chains once and keep them"));
  return std::make_unique<endpoint>(plan, windows_.local(window), where(),
                                    static_cast<int>(data_tag));
}

}  // namespace onehop::mpi_p2p
