#include "device/cuda_module.hpp"

#include <onehop/error.hpp>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "machine/module_file.hpp"

namespace onehop::device {
namespace {

constexpr std::string_view file_name = "libonehop_cuda.so";

struct loaded {
  const cuda_module* module = nullptr;
  std::string problem;
};

loaded load() {
  const module_file file = open_module(file_name);
  if (!file.problem.empty()) return {nullptr, file.problem};
  if (file.handle == nullptr) {
    return {nullptr,
            "this onehop has no CUDA module: install that of the same version, the wheel "
            "onehop-cuda, or install onehop again where nvcc is"};
  }
  const auto* found = static_cast<const cuda_module*>(find_symbol(file, cuda_module_symbol));
  if (found == nullptr) return {nullptr, text(file_name, " is not a module of onehop")};
  if (std::string_view(found->interface) != ONEHOP_CUDA_INTERFACE) {
    return {nullptr, text(file_name, " belongs to onehop ", found->version,
                          " as built elsewhere, this is onehop ", ONEHOP_VERSION)};
  }
  return {found, {}};
}

}  // namespace

cuda_report inspect_cuda() {
  const loaded found = load();
  cuda_report report;
  report.problem = found.problem;
  if (found.module != nullptr) found.module->inspect(report.runtime, report.problem);
  if (!report.problem.empty()) return report;
  driver_report seen = inspect_driver();
  report.problem = std::move(seen.problem);
  report.driver = std::move(seen.version);
  report.devices = std::move(seen.devices);
  return report;
}

std::unique_ptr<backend> open_cuda(int device) {
  const cuda_report report = inspect_cuda();
  if (!report.problem.empty()) throw usage_error(text(report.problem, "; use --device host"));
  if (device < 0 || device >= static_cast<int>(report.devices.size())) {
    throw usage_error(text("there is no CUDA device ", device, ": this machine has ",
                           report.devices.size(), ", counted from 0"));
  }
  std::unique_ptr<backend> opened;
  load().module->open(device, opened);
  return opened;
}

}  // namespace onehop::device
