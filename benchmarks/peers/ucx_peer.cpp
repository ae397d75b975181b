/// This program does the halo step of onehop bench with plain UCX; it is started once for each
/// rank: ucx_peer FOLDER CORES RANK SIZE

#include "benchmarks/peers/serve.hpp"
#include "benchmarks/peers/ucx_halo.hpp"

using namespace onehop::bench;

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: ucx_peer FOLDER CORES RANK SIZE\n");
    return 2;
  }
  const int rank = std::atoi(argv[3]), size = std::atoi(argv[4]);
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  const bool crowded = size > CPU_COUNT(&cores);
  pin(argv[2], rank);
  ucx_job job(argv[1], rank, size, crowded);
  workshop shop;
  shop.add_halo<ucx_put_flag>("put-flag",
                              [&](const ring_faces& faces) { return ucx_put_flag(job, faces); });
  shop.add_halo<ucx_tagged>("tagged",
                            [&](const ring_faces& faces) { return ucx_tagged(job, faces); });
  return server(shop, rank, size, [&] { job.barrier(); }).serve(argv[1]) ? 0 : 2;
}
