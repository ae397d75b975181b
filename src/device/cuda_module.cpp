#include "device/cuda_module.hpp"

#include <onehop/error.hpp>
#include <string_view>

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
    return {nullptr, "this onehop was built without CUDA: install it again where nvcc is"};
  }
  const auto* found = static_cast<const cuda_module*>(find_symbol(file, cuda_module_symbol));
  if (found == nullptr) return {nullptr, text(file_name, " is no module of onehop")};
  if (std::string_view(found->interface) != ONEHOP_CUDA_INTERFACE) {
    return {nullptr, text(file_name, " belongs to onehop ", found->version,
                          " as built elsewhere, this is onehop ", ONEHOP_VERSION)};
  }
  return {found, {}};
}

int require_card(const void* memory) {
  const std::optional<int> card = card_of(memory);
  if (!card) throw usage_error("memory that is said to be a CUDA card's, of which no card knows");
  return *card;
}

}  // namespace

cuda_report inspect_cuda() {
  const loaded found = load();
  cuda_report report;
  if (found.module == nullptr) {
    report.problem = found.problem;
  } else {
    found.module->inspect(report);
  }
  return report;
}

std::unique_ptr<backend> open_cuda(int card) {
  const cuda_report report = inspect_cuda();
  if (!report.problem.empty()) throw usage_error(text(report.problem, "; use --device host"));
  if (card < 0 || card >= static_cast<int>(report.cards.size())) {
    throw usage_error(text("there is no CUDA card ", card, ": this machine has ",
                           report.cards.size(), ", counted from 0"));
  }
  std::unique_ptr<backend> opened;
  load().module->open(card, opened);
  return opened;
}

std::optional<int> card_of(const void* memory) {
  const loaded found = load();
  const int card = found.module == nullptr ? -1 : found.module->card_of(memory);
  return card < 0 ? std::nullopt : std::optional(card);
}

void order_streams(void* follower, void* leader, const void* memory) {
  const int card = require_card(memory);
  load().module->order_streams(card, follower, leader);
}

void copy_from_card(void* to, const void* from, std::size_t bytes, void* stream) {
  const int card = require_card(from);
  load().module->copy_out(card, to, from, bytes, stream);
}

}  // namespace onehop::device
