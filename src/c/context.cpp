#include <chrono>
#include <onehop/communicator.hpp>

#include "base/text.hpp"
#include "c/handles.hpp"

using namespace onehop::c;

int onehop_join(const char* transport, onehop_context** made) {
  return guarded(__func__, [&](const char* call) {
    give(made, call, onehop_context{onehop::join(transport ? transport : "auto")});
  });
}

int onehop_join_communicator(int communicator, const char* transport, onehop_context** made) {
  return guarded(__func__, [&](const char* call) {
    give(made, call,
         onehop_context{onehop::join_communicator(communicator, transport ? transport : "auto")});
  });
}

int onehop_split(const onehop_context* ctx, int color, int key, onehop_context** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& whole = context_of(ctx, call);
    at(made, call, "the place for the new handle");
    auto group = whole.split(color, key);
    *made = group ? new onehop_context{std::move(*group)} : nullptr;
  });
}

int onehop_context_free(onehop_context* ctx) { return free_handle(ctx); }

int onehop_rank(const onehop_context* ctx, int* rank) {
  return guarded(__func__,
                 [&](const char* call) { at(rank, call, "rank") = context_of(ctx, call).rank(); });
}

int onehop_size(const onehop_context* ctx, int* size) {
  return guarded(__func__,
                 [&](const char* call) { at(size, call, "size") = context_of(ctx, call).size(); });
}

int onehop_rank_in_job(const onehop_context* ctx, int rank, int* in_job) {
  return guarded(__func__, [&](const char* call) {
    at(in_job, call, "in_job") = context_of(ctx, call).rank_in_job(rank);
  });
}

int onehop_set_deadline(const onehop_context* ctx, double seconds) {
  return guarded(__func__, [&](const char* call) {
    // This condition also refuses a NaN.
    if (!(seconds >= 1e-3 && seconds <= 1e6))
      throw onehop::usage_error("a deadline must be between 0.001 and 1000000 seconds");
    context_of(ctx, call).set_deadline(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds)));
  });
}

int onehop_abandon(const onehop_context* ctx, const char* reason) {
  return guarded(__func__, [&](const char* call) {
    context_of(ctx, call).abandon(&at(reason, call, "the reason"));
  });
}
