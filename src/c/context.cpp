#include <chrono>
#include <cmath>
#include <onehop/collectives.hpp>

#include "base/text.hpp"
#include "c/handles.hpp"

using namespace onehop::c;

namespace {

const onehop::context& context_of(const onehop_context* ctx, const char* call) {
  return at(ctx, call, "the context").ctx;
}

onehop::reduction reduction_of(onehop_reduction how) {
  switch (how) {
    case ONEHOP_SUM:
      return onehop::reduction::sum;
    case ONEHOP_MIN:
      return onehop::reduction::min;
    case ONEHOP_MAX:
      return onehop::reduction::max;
    case ONEHOP_BIT_AND:
      return onehop::reduction::bit_and;
    case ONEHOP_BIT_OR:
      return onehop::reduction::bit_or;
    case ONEHOP_BIT_XOR:
      return onehop::reduction::bit_xor;
  }
  throw onehop::usage_error(onehop::text("onehop_allreduce: there is no reduction ",
                                         static_cast<int>(how), ": give ONEHOP_SUM or another"));
}

onehop::combiner combiner_of(onehop_type type, onehop::reduction how) {
  switch (type) {
    case ONEHOP_INT32:
      return onehop::combiner_of<std::int32_t>(how);
    case ONEHOP_INT64:
      return onehop::combiner_of<std::int64_t>(how);
    case ONEHOP_UINT32:
      return onehop::combiner_of<std::uint32_t>(how);
    case ONEHOP_UINT64:
      return onehop::combiner_of<std::uint64_t>(how);
    case ONEHOP_FLOAT:
      return onehop::combiner_of<float>(how);
    case ONEHOP_DOUBLE:
      return onehop::combiner_of<double>(how);
  }
  throw onehop::usage_error(onehop::text("onehop_allreduce: there is no type ",
                                         static_cast<int>(type),
                                         ": give ONEHOP_DOUBLE or another"));
}

}  // namespace

int onehop_join(const char* transport, onehop_context** made) {
  return guarded([&] {
    give(made, "onehop_join", onehop_context{onehop::join(transport ? transport : "auto")});
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

int onehop_barrier(const onehop_context* ctx) {
  return guarded([&] { onehop::barrier(context_of(ctx, "onehop_barrier")); });
}

int onehop_broadcast(const onehop_context* ctx, void* data, size_t bytes, int root) {
  constexpr const char* call = "onehop_broadcast";
  return guarded([&] {
    onehop::broadcast(context_of(ctx, call), bytes_at(data, bytes, call, "the memory"), root);
  });
}

int onehop_allreduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how) {
  constexpr const char* call = "onehop_allreduce";
  return guarded([&] {
    const onehop::combiner combine = combiner_of(type, reduction_of(how));
    onehop::allreduce(
        context_of(ctx, call),
        bytes_at(values, product(count, combine.value_bytes, call, "values"), call, "the memory"),
        combine);
  });
}

int onehop_allgather(const onehop_context* ctx, const void* mine, size_t bytes, void* all) {
  constexpr const char* call = "onehop_allgather";
  return guarded([&] {
    const onehop::context& job = context_of(ctx, call);
    onehop::allgather(
        job, bytes_at(mine, bytes, call, "the memory"),
        bytes_at(all, product(bytes, static_cast<std::size_t>(job.size()), call, "bytes"), call,
                 "the memory for all"));
  });
}
