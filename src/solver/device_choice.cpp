#include "solver/device_choice.hpp"

#include "base/text.hpp"
#include "device/cuda_module.hpp"
#include "tuning/tuning.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <unistd.h>

#include <array>
#include <vector>

namespace onehop {
namespace {

constexpr std::size_t host_bytes = 256;

std::vector<std::string> hosts(const context& ctx) {
  std::array<char, host_bytes> mine{};
  gethostname(mine.data(), mine.size() - 1);
  std::vector<char> all(host_bytes * ctx.size());
  allgather(ctx, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> names;
  for (int rank = 0; rank < ctx.size(); ++rank) names.emplace_back(&all[rank * host_bytes]);
  return names;
}

struct dealt_device {
  std::unique_ptr<device::backend> opened;  ///< null for the host
  std::string name;
};

dealt_device open_dealt(const context& ctx, const solve_options& options) {
  if (options.device == device_choice::host) return {};
  const std::vector<std::string> names = hosts(ctx);
  const device::cuda_report found = device::inspect_cuda();
  if (!found.problem.empty()) throw usage_error(text(found.problem, "; use --device host"));
  const int device = device_of_rank(names, ctx.rank(), static_cast<int>(found.devices.size()),
                                    options.share_device);
  return {device::open_cuda(device), found.devices[static_cast<std::size_t>(device)].name};
}

}  // namespace

int device_of_rank(std::span<const std::string> host_of_rank, int rank, int devices,
                   bool may_share) {
  int before = 0;
  int here = 0;
  for (int other = 0; other < static_cast<int>(host_of_rank.size()); ++other) {
    if (host_of_rank[other] != host_of_rank[rank]) continue;
    if (other < rank) ++before;
    ++here;
  }
  if (here > devices && !may_share) {
    throw usage_error(text(counted(here, "rank"), " on ", host_of_rank[rank], " for ",
                           counted(devices, "CUDA device"),
                           ": start fewer ranks there, or let them share with --share-device"));
  }
  return before % devices;
}

std::unique_ptr<device::backend> open_device(const context& ctx, const solve_options& options) {
  dealt_device dealt = open_dealt(ctx, options);
  if (dealt.opened != nullptr) dealt.opened->set_blocks(tuning::read().blocks_of(dealt.name));
  return std::move(dealt.opened);
}

std::unique_ptr<device::backend> open_untuned_device(const context& ctx,
                                                     const solve_options& options) {
  return open_dealt(ctx, options).opened;
}

}  // namespace onehop
