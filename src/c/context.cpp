#include <chrono>
#include <onehop/communicator.hpp>

#include "base/text.hpp"
#include "c/handles.hpp"

using namespace onehop::c;

int onehop_join(const char* transport, onehop_context** made) {
  return guarded([&] {
    give(made, "onehop_join", onehop_context{onehop::join(transport ? transport : "auto")});
  });
}

int onehop_join_communicator(int communicator, const char* transport, onehop_context** made) {
  return guarded([&] {
    give(made, "onehop_join_communicator",
         onehop_context{onehop::join_communicator(communicator, transport ? transport : "auto")});
  });
}

int onehop_split(const onehop_context* ctx, int color, int key, onehop_context** made) {
  return guarded([&] {
    const onehop::context& whole = context_of(ctx, "onehop_split");
    at(made, "onehop_split", "the place for the new handle");
    auto group = whole.split(color, key);
    *made = group ? new onehop_context{std::move(*group)} : nullptr;
  });
}

int onehop_context_free(onehop_context* ctx) { return free_handle(ctx); }

int onehop_rank(const onehop_context* ctx, int* rank) {
  return guarded([&] { at(rank, "onehop_rank", "rank") = context_of(ctx, "onehop_rank").rank(); });
}

int onehop_size(const onehop_context* ctx, int* size) {
  return guarded([&] { at(size, "onehop_size", "size") = context_of(ctx, "onehop_size").size(); });
}

int onehop_rank_in_job(const onehop_context* ctx, int rank, int* in_job) {
  return guarded([&] {
    at(in_job, "onehop_rank_in_job", "in_job") =
        context_of(ctx, "onehop_rank_in_job").rank_in_job(rank);
  });
}

int onehop_set_deadline(const onehop_context* ctx, double seconds) {
  return guarded([&] {
    // This condition refuses a NaN as well.
    if (!(seconds >= 1e-3 && seconds <= 1e6))
      throw onehop::usage_error("a deadline lies between 0.001 and 1000000 seconds");
    context_of(ctx, "onehop_set_deadline")
        .set_deadline(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(seconds)));
  });
}

int onehop_abandon(const onehop_context* ctx, const char* reason) {
  return guarded([&] {
    context_of(ctx, "onehop_abandon").abandon(&at(reason, "onehop_abandon", "the reason"));
  });
}
