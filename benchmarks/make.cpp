#include "benchmarks/make.hpp"

#include <algorithm>
#include <numeric>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "measure/rotation.hpp"

namespace onehop::bench {
namespace {

/// Each buffer in turn is a chain with its own window; there are at most this many.
constexpr std::size_t most_turns = 64;

std::unique_ptr<contender> make_ours(const context& ctx, const cell& what) {
  const std::string& pattern = what.pattern;
  if (what.source_on_device || what.window_on_device) return make_device_exchange(ctx, what);
  if (pattern == "halo") return make_chain_halo(ctx, what);
  if (pattern == "latency") return make_ping_pong(ctx, what);
  if (pattern == "pingping") return make_ping_ping(ctx, what);
  if (pattern == "bandwidth") return make_stream(ctx, what, false);
  if (pattern == "bibandwidth") return make_stream(ctx, what, true);
  if (pattern == "stream") return make_item_stream(ctx, what);
  if (pattern == "put") return make_put(ctx, what);
  if (pattern == "get") return make_get(ctx, what);
  if (pattern == "faces") return make_sent_faces(ctx, what);
  if (pattern == "commit") return make_commit(ctx, what);
  if (pattern == "barrier") return make_barrier(ctx);
  if (pattern == "broadcast") return make_broadcast(ctx, what);
  if (pattern == "alltoall") return make_alltoall(ctx, what);
  if (pattern == "alltoallv") return make_alltoallv(ctx, what);
  if (pattern == "reduce_scatter") return make_reduce_scatter(ctx, what);
  if (pattern == "allreduce") return make_allreduce(ctx, what);
  if (pattern == "allgather") return make_allgather(ctx, what);
  throw usage_error(text("benchmark '", pattern, "' is not known"));
}

/// Returns the same faces without channels, which hand-written loops do not have.
cell in_one_chain(const cell& what) {
  cell flat = what;
  flat.face_bytes.clear();
  for (int channel = 0; channel < what.channels; ++channel)
    flat.face_bytes.insert(flat.face_bytes.end(), what.face_bytes.begin(), what.face_bytes.end());
  return flat;
}

void add_hand(contenders& list, const context& ctx, const cell& what) {
  if (what.pattern == "halo")
    add_hand_halos(list, ctx, in_one_chain(what));
  else if (what.pattern == "allreduce")
    add_hand_allreduce(list, ctx, what);
  else if (what.pattern == "stream")
    add_hand_stream(list, ctx, what);
  else
    throw usage_error(
        text("no hand-written loop of '", what.pattern, "': compare halo, allreduce or stream"));
}

/// Returns whether the peer has failed on any rank, so that all ranks know it; collective.
bool has_failed(const context& ctx, peer& other) {
  const std::uint8_t here = other.failure().empty() ? 0 : 1;
  if (std::ranges::max(allgather(ctx, here)) == 0) return false;
  other.fail("it has failed on another rank");
  return true;
}

void add_peer(contenders& list, const context& ctx, peer& other, const cell& what) {
  const std::vector<std::string> methods = other.methods(what.pattern);
  if (has_failed(ctx, other)) return;
  for (const std::string& method : methods) {
    const bool wanted =
        what.methods.empty() || std::ranges::find(what.methods, method) != what.methods.end();
    if (!wanted) continue;
    auto made = other.make(what.pattern, method, what.face_bytes);
    if (has_failed(ctx, other)) return;
    if (made) list.push_back(std::move(made));
  }
}

}  // namespace

std::size_t cell::bytes() const {
  return std::accumulate(face_bytes.begin(), face_bytes.end(), std::size_t{0});
}

std::size_t cell::turns() const {
  return measure::rotation::copies(bytes(), rotate_bytes, most_turns);
}

contenders make_contenders(const context& ctx, const cell& what, const peers& others) {
  contenders list;
  if (what.early_beside) {
    cell early = what;
    early.early = true;
    list.push_back(make_ours(ctx, early));
  }
  list.push_back(make_ours(ctx, what));
  for (const std::string& channel : what.channels_beside) {
    cell once_more = what;
    once_more.channel = channel;
    list.push_back(make_ours(ctx, once_more));
  }
  if (what.against_hand) add_hand(list, ctx, what);
  bool lost = false;
  for (const auto& other : others.all) {
    add_peer(list, ctx, *other, in_one_chain(what));
    lost |= !other->failure().empty();
  }
  if (others.all.empty() || list.size() > 1 || lost) return list;
  // A rank that throws closes its connection. The peers of other ranks must not notice this before
  // those ranks know.
  barrier(ctx);
  throw usage_error(text("no peer has ", what.pattern, " by one of the --methods given"));
}

}  // namespace onehop::bench
