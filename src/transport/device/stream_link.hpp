#pragma once
/// Ranks of a machine use words in devices' memory to tell each other, from stream to stream, that
/// a window may be written and that it was written.

#include <memory>
#include <onehop/context.hpp>
#include <span>
#include <string>
#include <vector>

#include "device/driver/peer_memory.hpp"
#include "transport/device/ipc_link.hpp"
#include "transport/device/staged_route.hpp"

namespace onehop {

/// A stream_word belongs to one put or one arrival of this rank.
struct stream_word {
  std::byte* here = nullptr;   ///< in this rank's device: what the other side says
  std::byte* there = nullptr;  ///< in the other's device: what this side says
};

struct stream_link {
  std::string problem;  ///< why the host must tell, the same on all ranks; empty where streams can
  std::vector<stream_word> puts, arrivals;
  std::shared_ptr<device::device_memory> own;  ///< all words that lie here, one per `line_bytes`
  std::vector<std::shared_ptr<device::peer_memory>> opened;

  static constexpr std::size_t line_bytes = 64;
};

/// Makes the words for the puts of `route`, opens the other ranks' words, and tests every word by
/// writing it and waiting for it as exchanges will. Collective. `links` are the links of this
/// rank's puts. `owner` is the context of its device, or null if it has none here.
stream_link link_streams(const context& ctx, const staged_route& route,
                         std::span<const ipc_link> links, device::driver::context owner,
                         device::peer_cache& peers);

/// Returns the values of `words` words of a board, each on a line of its own.
std::vector<std::uint32_t> read_words(device::driver::context owner,
                                      const device::device_memory& board, std::size_t words);
/// Writes one value into all words of a board, with the device's copy engine.
void fill_words(device::driver::context owner, const device::device_memory& board,
                std::size_t words, std::uint32_t value);

}  // namespace onehop
