#include "transport/virtual/conductor.hpp"

#include <algorithm>

namespace onehop::virtual_machine {

void conductor::post(int rank, std::uint64_t tag, std::span<const std::byte> message,
                     bool is_free) {
  const auto parity = static_cast<unsigned>((rounds_.at(rank).round + 1) % 2);
  std::ranges::copy(message, message_memory(rank, parity, message.size()));
  rounds_.enter(rank, tag, is_free);
  ask(rank, {.what = request::enter_round});
}

bootstrap::posting conductor::posted(int rank, int other) {
  const round_part* const found = rounds_.seen(rank, other);
  if (found == nullptr) return {};
  return {found->tag, message_memory(other, static_cast<unsigned>(found->round % 2), 0)};
}

}  // namespace onehop::virtual_machine
