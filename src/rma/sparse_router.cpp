#include "rma/sparse_router.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "machine/copy_bytes.hpp"
#include "rma/rounds.hpp"

namespace onehop {
namespace {

/// The bytes of a hop travel in pieces of this size.
constexpr std::size_t most_bytes = std::size_t{1} << 15;

std::size_t hops_among(int ranks) {
  return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

}  // namespace

sparse_router::sparse_router(const context& own)
    : own_(own), memory_(window::allocate(own, most_bytes * hops_among(own.size()))) {
  const int ranks = own.size();
  for (std::size_t hop = 0; hop < hops_among(ranks); ++hop) {
    const int to = (own.rank() + distance(hop)) % ranks;
    const int from = (own.rank() + ranks - distance(hop)) % ranks;
    put_chain chain(own, memory_);
    const put_slot slot = chain.push(put::packed_up_to(most_bytes, to, hop * most_bytes));
    const notification arrival = chain.add_origin(from);
    chain.commit();
    hops_.push_back({std::move(chain), slot, arrival, from});
  }
}

std::vector<std::byte> sparse_router::pass(const context& ctx, std::size_t hop,
                                           std::span<const std::byte> bytes) {
  link& via = hops_[hop];
  // All ranks take part in the number of exchanges that the rank with the most bytes needs.
  const std::uint64_t mine = bytes.size();
  std::uint64_t longest = 0, coming = 0;
  rounds::round(ctx, make_tag(operation::sparse_exchange, 0), std::as_bytes(std::span(&mine, 1)),
                [&](int rank, const std::byte* theirs) {
                  std::uint64_t said = 0;
                  std::memcpy(&said, theirs, sizeof said);
                  longest = std::max(longest, said);
                  if (rank == via.origin) coming = said;
                });
  std::vector<std::byte> came(coming);
  for (std::size_t done = 0; done < longest; done += most_bytes) {
    const std::size_t begin = std::min(done, bytes.size());
    const auto piece = bytes.subspan(begin, std::min(most_bytes, bytes.size() - begin));
    if (!piece.empty())
      copy_bytes(via.chain.target_view(via.slot).data(), piece.data(), piece.size());
    via.chain.set_bytes(via.slot, piece.size());
    via.chain.start();
    via.chain.wait();
    const auto arrived = via.chain.arrived(via.arrival);
    if (!arrived.empty()) copy_bytes(came.data() + done, arrived.data(), arrived.size());
  }
  return came;
}

}  // namespace onehop
