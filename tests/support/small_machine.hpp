#pragma once
/// The small machine is a ring of eight nodes, small enough to know by heart, to run ranks on in
/// virtual time.

#include "transport/virtual/run.hpp"

namespace test {

/// Its protocols are "put" (data in blocks of 1024 bytes above 2048), and "mpi": eager up to 256
/// bytes, then request, grant, data; above 4096 only a request, above 8192 a grant that was not
/// requested and a notice.
inline onehop::virtual_machine::machine small_machine(
    const std::string& variant, onehop::netsim::memory where = onehop::netsim::memory::host) {
  namespace netsim = onehop::netsim;
  constexpr netsim::picoseconds nanosecond = 1000;
  netsim::machine_description small;
  small.name = "small";
  small.nodes = 8;
  small.stages = {{"software", "", netsim::software_step{200 * nanosecond, 0, 0, 0}},
                  {"read", "", netsim::dma_engine{1, 0, 100 * nanosecond, 0, 4e9, 0, true}},
                  {"notify", "", netsim::event_queue_entry{50 * nanosecond, 50 * nanosecond}}};
  netsim::fabric ring;
  ring.name = "ring";
  ring.shape.extents = {8};
  ring.links = {{2e9, 1, 16, 100 * nanosecond}};
  ring.packet_bytes = 1024;
  ring.router_latency = 50 * nanosecond;
  small.fabrics = {ring};
  small.paths = {{"put", where, where, {0, 1}, {2}, 0, 0}};
  constexpr auto most = UINT64_MAX;
  small.protocols = {{"whole", "put", where, where, 0, 2048, 0, 0, -1, -1, -1},
                     {"blocks", "put", where, where, 2049, most, 1024, 0, -1, -1, -1},
                     {"eager", "mpi", where, where, 0, 256, 0, 0, -1, -1, -1},
                     {"rendezvous", "mpi", where, where, 257, 4096, 0, 0, 0, 0, -1},
                     {"called", "mpi", where, where, 4097, 8192, 0, 0, -1, 0, -1},
                     {"posted", "mpi", where, where, 8193, most, 0, 0, 0, -1, 0}};
  small.gpu = {5000 * nanosecond, 1e12, 1e11};
  return {small, where, variant};
}

}  // namespace test
