#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <onehop/communicator.hpp>
#include <onehop/error.hpp>
#include <onehop/launch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "transport/base/transport.hpp"
#include "transport/device/transport.hpp"
#include "transport/last_words.hpp"
#include "transport/mixed/node.hpp"
#include "transport/mixed/transport.hpp"
#include "transport/mpi_launcher.hpp"
#include "transport/mpi_module.hpp"
#include "transport/self/region.hpp"
#include "transport/shm/progress.hpp"
#include "transport/shm/region.hpp"
#include "transport/shm/segment.hpp"
#include "transport/stores/transport.hpp"
#include "transport/virtual/processes/remote_conductor.hpp"
#include "transport/virtual/transport.hpp"

namespace onehop {
namespace {

constexpr std::array<std::string_view, 6> transports{"auto",  "self",    "shm",
                                                     "mixed", "mpi_p2p", "mpi_rma"};

/// A rank_of_job is the rank of one process within its job.
struct rank_of_job {
  int rank, size;
};

rank_of_job find_rank(const environment& variables) {
  if (variables.rank.has_value() != variables.size.has_value())
    throw usage_error(
        "only one of ONEHOP_RANK and ONEHOP_SIZE is set: start the ranks with onehop "
        "run, or unset both");
  const rank_of_job found{variables.rank.value_or(0), variables.size.value_or(1)};
  if (found.rank >= found.size)
    throw usage_error(text("ONEHOP_RANK is ", found.rank, " and ONEHOP_SIZE is ", found.size,
                           ": ranks count from 0, start them with onehop run"));
  return found;
}

std::shared_ptr<onehop::transport> join_self(const rank_of_job& where) {
  if (where.size != 1)
    throw usage_error(
        text("transport self has one rank, this job has ", where.size, ": use shm or auto"));
  return std::make_shared<stores::transport>(self::make_arena(), 0);
}

std::shared_ptr<stores::arena> map_job(const environment& variables, const rank_of_job& where) {
  if (variables.segment_fd) {
    fcntl(*variables.segment_fd, F_SETFD, FD_CLOEXEC);
    return shm::map_arena(*variables.segment_fd);
  }
  if (where.size > 1)
    throw usage_error(text("this job has ", counted(where.size, "rank"),
                           " but no shared memory "
                           "(ONEHOP_SEGMENT_FD is not set): start the ranks with onehop run"));
  return shm::make_arena(1);
}

/// Joins as a rank of a virtual machine.
std::shared_ptr<onehop::transport> join_conductor(std::shared_ptr<stores::arena> memory, int rank,
                                                  std::string_view transport) {
  if (transport != "auto")
    throw usage_error(text("transport ", transport, " on a virtual machine: join with auto"));
  return std::make_shared<virtual_machine::transport>(
      std::make_shared<virtual_machine::remote_conductor>(std::move(memory), rank), rank);
}

/// Joins a rank started by onehop run, on this machine or on a machine in virtual time.
std::shared_ptr<onehop::transport> join_arena(std::shared_ptr<stores::arena> memory,
                                              const rank_of_job& where,
                                              std::string_view transport) {
  const auto& control = stores::control_in(*memory);
  if (control.ranks != where.size)
    throw usage_error(text("ONEHOP_SIZE is ", where.size, ", the job's shared memory was made for ",
                           counted(control.ranks, "rank"), ": start the ranks with onehop run"));
  const bool in_virtual_time = control.conductor != 0;
  if (transport == "auto" && where.size == 1 && !in_virtual_time) return join_self(where);
  shm::die_with_parent(control);
  if (in_virtual_time) return join_conductor(std::move(memory), where.rank, transport);
  return std::make_shared<stores::transport>(std::move(memory), where.rank);
}

/// Joins ranks by shared memory within each machine, and by `between` across machines.
std::shared_ptr<onehop::transport> join_mixed(std::string name,
                                              std::shared_ptr<onehop::transport> between,
                                              const environment& variables) {
  const context everyone(between);
  everyone.set_deadline(variables.deadline);
  const mixed::node here = mixed::find_node(everyone, variables.node);
  const bool several_machines = here.ranks.size() < static_cast<std::size_t>(everyone.size());
  if (several_machines && name == "mpi_rma") {
    // MPI frees its windows at exit, and their memory must still exist then.
    static auto* const kept = new std::vector<std::shared_ptr<stores::arena>>;
    kept->push_back(here.memory);
  }
  return std::make_shared<mixed::transport>(std::move(name), std::move(between), here);
}

/// Joins all processes of MPI, or the ranks of a communicator. `transport` is mixed or that of a
/// module.
std::shared_ptr<onehop::transport> join_over_mpi(std::string_view transport,
                                                 const std::optional<launcher_place>& launcher,
                                                 std::optional<int> communicator,
                                                 const environment& variables) {
  if (variables.rank)
    throw usage_error(text("transport ", transport,
                           " inside onehop run: start the ranks with onehop run --launcher mpi"));
  const bool by_messages = transport != "mpi_rma";
  const auto between =
      join_mpi({by_messages ? "mpi_p2p" : "mpi_rma", launcher ? &*launcher : nullptr,
                variables.deadline, communicator});
  return transport == "mpi_p2p" ? between : join_mixed(std::string(transport), between, variables);
}

/// Joins over MPI, at least between machines, if the user asks for it or an MPI launcher started
/// several ranks.
std::shared_ptr<onehop::transport> choose_wire(std::string_view transport,
                                               const environment& variables) {
  const auto launcher = find_mpi_launcher();
  const bool several = launcher && launcher->size > 1;
  if (transport == "mixed" || transport.starts_with("mpi_"))
    return join_over_mpi(transport, launcher, std::nullopt, variables);
  if (transport == "auto" && several)
    return join_over_mpi("mixed", launcher, std::nullopt, variables);
  if (transport == "shm" && several)
    throw usage_error(text("transport shm, but ", launcher->launcher, " started ", launcher->size,
                           " processes: start them with onehop run, or use auto"));
  const rank_of_job where = find_rank(variables);
  if (transport == "self" || (transport == "auto" && where.size == 1 && !variables.segment_fd))
    return join_self(where);
  return join_arena(map_job(variables, where), where, transport);
}

void check_name(std::string_view transport) {
  if (std::ranges::find(transports, transport) == transports.end())
    throw usage_error(text("transport '", transport,
                           "' is not known: use auto, self, shm, mixed, mpi_p2p or mpi_rma"));
}

context make_context(std::shared_ptr<onehop::transport> by, const environment& variables) {
  const context joined(std::move(by));
  joined.set_deadline(variables.deadline);
  transport_of(joined).set_device_channels(make_device_channels());
  if (!variables.channels.empty()) set_channels(joined, variables.channels);
  return joined;
}

}  // namespace

context join(std::string_view transport) {
  check_name(transport);
  report_uncaught_errors();
  const environment variables = environment::read();
  return make_context(choose_wire(transport, variables), variables);
}

context join_communicator(int fortran_handle, std::string_view transport) {
  check_name(transport);
  if (transport == "self" || transport == "shm")
    throw usage_error(
        text("transport ", transport, " on a communicator: use auto, mixed, mpi_p2p or mpi_rma"));
  const environment variables = environment::read();
  return make_context(join_over_mpi(transport == "auto" ? "mixed" : transport, std::nullopt,
                                    fortran_handle, variables),
                      variables);
}

}  // namespace onehop
