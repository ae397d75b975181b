#include "rma/chain_refusal.hpp"

#include "rma/chain_description.hpp"

namespace onehop {

void refuse(const chain_description& chain, refusal kind, int teller, int rank,
            const std::string& message) {
  constexpr unsigned bits_of_rank = 24;
  const bool own = chain.seen_by == chain_description::everyone || chain.seen_by == teller;
  const auto among = static_cast<std::uint32_t>(own ? kind : refusal::by_another);
  throw chain_refusal(message, among << bits_of_rank | static_cast<std::uint32_t>(rank));
}

}  // namespace onehop
