#pragma once
/// These are the windows, chains, streams and halos that the table of misuses does wrong things to.

#include <exception>
#include <functional>
#include <initializer_list>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/stream.hpp>
#include <onehop/window.hpp>
#include <span>
#include <thread>
#include <vector>

#include "support/ranks.hpp"

namespace onehop::misused {

inline const std::vector<std::byte> bytes(4096);
inline local_view view(std::size_t count) {
  return local_view::contiguous(std::span(bytes).first(count));
}

/// pair_of_ranks is a chain over a window of 100 bytes, with a put and an origin for each rank's
/// neighbour.
struct pair_of_ranks {
  context ctx;
  window memory;
  put_chain chain;
  put_slot plain, packed;
  notification arrival;
  int other;

  explicit pair_of_ranks(const context& c, bool commit = true)
      : ctx(c), memory(window::allocate(c, 100)), chain(c, memory), other(1 - c.rank()) {
    plain = chain.push({view(8), other, 0});
    arrival = chain.add_origin(other);
    packed = chain.push(put::packed(8, other, 8));
    chain.add_origin(other);
    if (commit) chain.commit();
  }
};

/// variable_pair is a chain with a put of up to 8 bytes from each rank to the other.
struct variable_pair {
  window memory;
  put_chain chain;
  put_slot slot;

  explicit variable_pair(const context& c) : memory(window::allocate(c, 100)), chain(c, memory) {
    slot = chain.push(put::packed_up_to(8, 1 - c.rank(), 0));
    chain.add_origin(1 - c.rank());
    chain.commit();
  }
  void set_and_finish(std::size_t count) {
    try {
      chain.set_bytes(slot, count);
    } catch (...) {
      chain.wait();
      throw;
    }
  }
};

inline put in_runs(std::size_t count, const strided_layout& remote) {
  put made{view(count), 1, 0};
  made.remote = remote;
  return made;
}
inline put at_starts(std::size_t count, std::size_t run_bytes,
                     std::initializer_list<std::size_t> starts) {
  static std::vector<std::size_t> kept;
  kept = starts;
  put made = in_runs(count, {run_bytes});
  made.remote_starts = kept;
  return made;
}

/// Returns a stream of items up to 8 bytes from rank 0 to rank 1.
inline stream zero_to_one(const context& ctx) {
  const int producers[]{0}, consumers[]{1};
  return {ctx, producers, consumers, {.largest_item = 8}};
}
/// Lets rank 0 do `what` to the stream; the other rank waits for it.
inline void produce(const context& ctx, const std::function<void(stream&)>& what) {
  stream events = zero_to_one(ctx);
  if (ctx.rank() == 0) what(events);
  barrier(ctx);
}
inline void consume(const context& ctx, const std::function<void(stream&)>& what) {
  stream events = zero_to_one(ctx);
  if (ctx.rank() == 0) events.send(std::vector<std::byte>(4));
  if (ctx.rank() == 1) what(events);
  barrier(ctx);
}
inline stream stream_of(const context& ctx, std::vector<int> producers, std::vector<int> consumers,
                        const stream_options& how = {}) {
  return {ctx, producers, consumers, how};
}

/// Rank 0 describes `first`, rank 1 `second`; then both commit.
inline void commit_different(const context& ctx, const std::function<void(put_chain&)>& first,
                             const std::function<void(put_chain&)>& second) {
  const window memory = window::allocate(ctx, 100);
  put_chain chain(ctx, memory);
  ctx.rank() == 0 ? first(chain) : second(chain);
  chain.commit();
}
inline void push_one(put_chain& chain) { chain.push({view(8), 1, 0}); }
inline void nothing(put_chain&) {}

/// two_rows are two rows of four sites, a row for each rank, with ghosts around it or where they
/// arrive.
struct two_rows {
  cartesian ranks;
  halo_field<int> field, other;
  halo_exchange halo;

  explicit two_rows(const context& c, bool padded = true, const std::vector<bool>& periodic = {})
      : ranks(c, {4, 2}, {{1, 2}, periodic}),
        field(ranks, {.padded = padded}),
        other(ranks, {.padded = padded}),
        halo(field) {}
};

inline void on_another_thread(const std::function<void()>& body) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}
inline void in_a_forked_child(const std::function<void()>& body) {
  const test::rank_end end = test::child_process(body).wait();
  if (!end.good()) throw usage_error(end.message);
}

}  // namespace onehop::misused
