#include "transport/device/staged_route.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "rma/chain_planning.hpp"

namespace onehop {
namespace {

/// The number of pieces is limited because each stage needs a message, a notification and a look of
/// its own.
constexpr std::size_t most_pieces = 16;
constexpr std::size_t page = 4096, cache_line = 64;
/// A grant or a notice takes one word of this size.
constexpr std::size_t word_bytes = 8;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

const chain_entry& entry_of(const chain_description& chain, const chain_edge& edge) {
  int put = 0;
  const std::vector<chain_entry>& entries = chain.ranks.at(edge.origin);
  return *std::ranges::find_if(entries, [&](const chain_entry& one) {
    return one.what == chain_entry::kind::put && put++ == edge.put;
  });
}

/// Renumbers the members of each rank in the order of their old numbers.
void renumber(std::vector<chain_edge>& edges, int chain_edge::*rank, int chain_edge::*number) {
  std::vector<chain_edge*> ordered;
  for (chain_edge& edge : edges) ordered.push_back(&edge);
  std::ranges::sort(ordered, {},
                    [&](const chain_edge* edge) { return std::pair(edge->*rank, edge->*number); });
  std::map<int, int> counts;
  for (chain_edge* edge : ordered) edge->*number = counts[edge->*rank]++;
}

}  // namespace

staged_route::staged_route(const chain_description& chain, std::size_t block_bytes)
    : banks_(chain.registered ? 2 : chain.banks), window_bytes_(chain.window_bytes) {
  if (chain.registered) landing_bytes_ = landing_of(chain).window_bytes;
  const std::vector<chain_edge> first = pair_up(chain.registered ? landing_of(chain) : chain);
  std::map<int, std::size_t> peers_of;
  for (const chain_edge& edge : pair_up(chain)) {
    const chain_entry& entry = entry_of(chain, edge);
    carried_put& put = puts_.emplace_back();
    put.edge = edge;
    put.from_device = entry.on_device != 0;
    put.to_device = chain.window_on_device[static_cast<std::size_t>(edge.target)] != 0;
    put.by_peer = entry.by_peer != 0;
    put.place = first[puts_.size() - 1].offset;
    put.carried_bytes = put.by_peer ? word_bytes : edge.bytes;
    const bool cut = (put.from_device || put.to_device) && !put.by_peer && entry.divisible != 0;
    const std::size_t least = round_up((edge.bytes + most_pieces - 1) / most_pieces, page);
    put.piece_bytes = cut ? std::max(block_bytes, least) : put.carried_bytes;
    put.pieces = (put.carried_bytes + put.piece_bytes - 1) / put.piece_bytes;
    // These puts are spread over the stages, so that the first faces need not wait for the last.
    put.first_stage = put.by_peer ? peers_of[edge.origin]++ % most_pieces : 0;
    stages_ = std::max(stages_, put.first_stage + put.pieces);
  }
}

std::optional<put_piece> staged_route::piece(const carried_put& put, std::size_t stage) {
  if (stage < put.first_stage || stage >= put.first_stage + put.pieces) return std::nullopt;
  const std::size_t begin = (stage - put.first_stage) * put.piece_bytes;
  return put_piece{begin, std::min(put.piece_bytes, put.carried_bytes - begin)};
}

stage_plan staged_route::plan(std::size_t stage, int rank,
                              const std::vector<local_view>& sources) const {
  stage_plan mine;
  std::vector<chain_edge> edges;
  std::vector<local_view> pieces;
  for (const carried_put& put : puts_) {
    const auto part = piece(put, stage);
    if (!part) continue;
    edges.push_back(put.edge);
    edges.back().offset = put.place + part->first;
    edges.back().bytes = part->bytes;
    // The message by which a device says that it has written its bytes has a length of its own.
    edges.back().variable = put.edge.variable && !put.by_peer;
    const auto number = static_cast<std::size_t>(put.edge.put);
    if (put.edge.origin == rank) {
      mine.puts.push_back(number);
      pieces.push_back(sources[number]);
    }
    if (put.edge.target == rank)
      mine.arrivals.push_back(static_cast<std::size_t>(put.edge.arrival));
  }
  std::ranges::sort(mine.arrivals);
  renumber(edges, &chain_edge::origin, &chain_edge::put);
  renumber(edges, &chain_edge::target, &chain_edge::arrival);
  mine.plan = plan_edges(edges, banks_, landing_bytes_.size() == 0 ? window_bytes_ : landing_bytes_,
                         rank, pieces);
  return mine;
}

bool staged_route::any_by_peer() const noexcept {
  return std::ranges::any_of(puts_, &carried_put::by_peer);
}

std::vector<std::size_t> staged_route::grant_bytes(int ranks) const {
  std::vector<std::size_t> bytes(static_cast<std::size_t>(ranks));
  for (const carried_put& put : puts_)
    if (put.by_peer) bytes[static_cast<std::size_t>(put.edge.origin)] += cache_line;
  return bytes;
}

stage_plan staged_route::grants(int rank, int ranks, const local_view& word) const {
  stage_plan mine;
  std::vector<chain_edge> edges;
  std::map<int, std::size_t> used;
  for (const carried_put& put : puts_) {
    if (!put.by_peer) continue;
    const chain_edge& edge = put.edge;
    edges.push_back({edge.target, edge.origin, edge.arrival, edge.put,
                     cache_line * used[edge.origin]++, word_bytes});
    if (edge.target == rank) mine.puts.push_back(static_cast<std::size_t>(edge.arrival));
    if (edge.origin == rank) mine.arrivals.push_back(static_cast<std::size_t>(edge.put));
  }
  std::ranges::sort(mine.puts);
  std::ranges::sort(mine.arrivals);
  renumber(edges, &chain_edge::origin, &chain_edge::put);
  renumber(edges, &chain_edge::target, &chain_edge::arrival);
  // Puts of a plan are ordered by number.
  std::ranges::sort(edges, {},
                    [](const chain_edge& edge) { return std::pair(edge.origin, edge.put); });
  mine.plan = plan_edges(edges, 2, rank_table(grant_bytes(ranks)), rank,
                         std::vector<local_view>(mine.puts.size(), word));
  return mine;
}

}  // namespace onehop
