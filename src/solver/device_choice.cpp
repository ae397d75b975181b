#include "solver/device_choice.hpp"

#include "base/text.hpp"
#include "device/cuda_module.hpp"
#include "machine/process.hpp"
#include "rma/gather.hpp"
#include "tuning/tuning.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <map>
#include <string_view>

namespace onehop {
namespace {

struct dealt_device {
  std::unique_ptr<device::backend> opened;  ///< null for the host
  std::string name;
};

dealt_device open_dealt(const context& ctx, const solve_options& options) {
  if (options.device == device_choice::host) return {};
  const device::cuda_report found = device::inspect_cuda();
  std::vector<std::string> buses;
  for (const device::device_report& device : found.devices) buses.push_back(device.bus);
  const auto seen = devices_seen(ctx, buses);
  if (!found.problem.empty()) throw usage_error(text(found.problem, "; use --device host"));
  const int device = device_of_rank(seen, ctx.rank(), options.share_device);
  return {device::open_cuda(device), found.devices[static_cast<std::size_t>(device)].name};
}

}  // namespace

std::vector<std::vector<std::string>> devices_seen(const context& ctx,
                                                   std::span<const std::string> buses) {
  const boot_identity boot = this_boot();
  std::vector<char> mine;
  for (const std::string& bus : buses) {
    const std::string name = text(boot.data(), ' ', bus);
    mine.insert(mine.end(), name.begin(), name.end());
    mine.push_back('\0');
  }
  std::vector<std::vector<std::string>> seen;
  for (const std::vector<char>& all : gather_lists(ctx, mine)) {
    std::vector<std::string>& names = seen.emplace_back();
    for (auto from = all.begin(); from != all.end();) {
      const auto end = std::find(from, all.end(), '\0');
      names.emplace_back(from, end);
      from = end + 1;
    }
  }
  return seen;
}

int device_of_rank(std::span<const std::vector<std::string>> seen, int rank, bool may_share) {
  const std::vector<std::string>& mine = seen[static_cast<std::size_t>(rank)];
  std::map<std::string_view, int> ranks_on;
  const auto least_used = [&](const std::vector<std::string>& devices) {
    return std::ranges::min_element(devices, {},
                                    [&](const std::string& device) { return ranks_on[device]; });
  };
  for (int before = 0; before < rank; ++before)
    if (const auto& theirs = seen[static_cast<std::size_t>(before)]; !theirs.empty())
      ++ranks_on[*least_used(theirs)];
  const auto chosen = least_used(mine);
  if (ranks_on[*chosen] > 0 && !may_share)
    throw usage_error(text("rank ", rank, " sees ", counted(mine.size(), "CUDA device"),
                           ", and each is another rank's already: start fewer ranks there, show "
                           "each rank a device of its own by CUDA_VISIBLE_DEVICES, or let them "
                           "share with --share-device"));
  return static_cast<int>(chosen - mine.begin());
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
