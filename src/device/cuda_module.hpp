#pragma once
/// CUDA, which is not everywhere, lies in a module that is loaded when it is asked for.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace onehop::device {

struct cuda_card {
  std::string name;
  int major, minor;  ///< compute capability
  std::size_t memory_bytes;
  std::string bus;         ///< "0000:1A:00.0"
  std::vector<int> peers;  ///< cards whose memory it can reach itself
};

struct cuda_report {
  std::string problem;  ///< why no card can be used; empty when one can
  std::string runtime;  ///< CUDA that the module was built with, "13.0"; empty without a module
  std::string driver;   ///< newest CUDA that the driver knows; empty without one
  std::vector<cuda_card> cards;
};

/// The one symbol of a module. `interface` is that of the headers that library and module share and
/// must be equal, before anything behind it is looked at.
struct cuda_module {
  const char* interface;
  const char* version;  ///< of onehop
  void (*inspect)(cuda_report& report);
  void (*open)(int card, std::unique_ptr<backend>& opened);
  // src/cuda/foreign.hpp
  int (*card_of)(const void* memory);
  void (*order_streams)(int card, void* follower, void* leader);
  void (*copy_out)(int card, void* to, const void* from, std::size_t bytes, void* stream);
};
constexpr const char* cuda_module_symbol = "onehop_cuda_module";

/// What there is. Loads the module and asks the driver, but makes no use of a card.
cuda_report inspect_cuda();

/// A card, counted from 0. Throws usage_error, in one line, where the module, the driver or the
/// card is missing.
std::unique_ptr<backend> open_cuda(int card);

/// The card whose memory this is. None for managed memory and that of the host, and where module,
/// driver or card is missing.
std::optional<int> card_of(const void* memory);

/// What is enqueued on the CUDA stream `follower` from now on waits for what `leader` holds now; of
/// the card where `memory` lies. Returns at once. Throws usage_error for memory of no card.
void order_streams(void* follower, void* leader, const void* memory);

/// From a card's memory to the host's, in the order of `stream`; waits until it is done. Throws
/// usage_error for memory of no card.
void copy_from_card(void* to, const void* from, std::size_t bytes, void* stream);

}  // namespace onehop::device
