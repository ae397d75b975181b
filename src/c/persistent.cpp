#include "c/handles.hpp"

using namespace onehop::c;

namespace {

/// Makes a collective that uses the caller's memory.
template <class Make>
int make_collective(onehop_collective** made, const onehop_context* ctx, const char* call,
                    Make&& make) {
  return guarded(call, [&](const char*) {
    const onehop::context& job = context_of(ctx, call);
    at(made, call, "the place for the new handle");
    give(made, call, onehop_collective{make(job)});
  });
}

/// Makes a collective that combines values in place.
template <class Make>
int make_in_place(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                  onehop_reduction how, onehop_collective** made, const char* call, Make&& make) {
  return make_collective(made, ctx, call, [&](const onehop::context& job) {
    const onehop::combiner combine = combiner_of(type, how, call);
    return make(job, values_at(values, count, combine, call), combine);
  });
}

onehop::persistent_collective& collective_of(onehop_collective* handle, const char* call) {
  return at(handle, call, "the collective").collective;
}

}  // namespace

int onehop_allreduce_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                          onehop_reduction how, onehop_collective** made) {
  return make_in_place(ctx, values, count, type, how, made, __func__,
                       [](auto& job, auto all, auto& combine) {
                         return onehop::persistent_allreduce(job, all, combine);
                       });
}

int onehop_reduce_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                       onehop_reduction how, int root, onehop_collective** made) {
  return make_in_place(ctx, values, count, type, how, made, __func__,
                       [root](auto& job, auto all, auto& combine) {
                         return onehop::persistent_reduce(job, all, combine, root);
                       });
}

int onehop_scan_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how, onehop_collective** made) {
  return make_in_place(ctx, values, count, type, how, made, __func__,
                       [](auto& job, auto all, auto& combine) {
                         return onehop::persistent_scan(job, all, combine);
                       });
}

int onehop_exclusive_scan_make(const onehop_context* ctx, void* values, size_t count,
                               onehop_type type, onehop_reduction how, onehop_collective** made) {
  return make_in_place(ctx, values, count, type, how, made, __func__,
                       [](auto& job, auto all, auto& combine) {
                         return onehop::persistent_exclusive_scan(job, all, combine);
                       });
}

int onehop_reduce_scatter_make(const onehop_context* ctx, const void* all, void* mine, size_t count,
                               onehop_type type, onehop_reduction how, onehop_collective** made) {
  const char* const call = __func__;
  return make_in_place(
      ctx, mine, count, type, how, made, call, [&](auto& job, auto block, auto& combine) {
        const auto given = blocks_at(all, block.size(), job, call, "the memory of all");
        return onehop::persistent_reduce_scatter(job, given, block, combine);
      });
}

int onehop_broadcast_make(const onehop_context* ctx, void* data, size_t bytes, int root,
                          onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    return onehop::persistent_broadcast(job, bytes_at(data, bytes, call, "the memory"), root);
  });
}

int onehop_allgather_make(const onehop_context* ctx, void* all, size_t bytes,
                          onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    return onehop::persistent_allgather(job, blocks_at(all, bytes, job, call, "the memory of all"));
  });
}

int onehop_gather_make(const onehop_context* ctx, const void* mine, size_t bytes, void* all,
                       int root, onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    std::span<std::byte> room;
    if (job.rank() == root) room = blocks_at(all, bytes, job, call, "the memory for all");
    return onehop::persistent_gather(job, bytes_at(mine, bytes, call, "the memory"), room, root);
  });
}

int onehop_scatter_make(const onehop_context* ctx, const void* all, void* mine, size_t bytes,
                        int root, onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    std::span<const std::byte> given;
    if (job.rank() == root) given = blocks_at(all, bytes, job, call, "the memory of all");
    return onehop::persistent_scatter(job, given, bytes_at(mine, bytes, call, "the memory"), root);
  });
}

int onehop_alltoall_make(const onehop_context* ctx, const void* send, void* receive, size_t bytes,
                         onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    return onehop::persistent_alltoall(
        job, blocks_at(send, bytes, job, call, "the memory to send"),
        blocks_at(receive, bytes, job, call, "the memory to receive"));
  });
}

int onehop_alltoallv_make(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                          void* const* into, const size_t* room, onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    return onehop::persistent_alltoallv(job, lists_at(blocks, bytes, job, call),
                                        lists_at(into, room, job, call));
  });
}

int onehop_gatherv_make(const onehop_context* ctx, const void* mine, size_t bytes,
                        void* const* into, const size_t* room, int root, onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    std::vector<std::span<std::byte>> all;
    if (job.rank() == root) all = lists_at(into, room, job, call);
    return onehop::persistent_gatherv(job, bytes_at(mine, bytes, call, "the memory"), all, root);
  });
}

int onehop_scatterv_make(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                         void* mine, size_t room, int root, onehop_collective** made) {
  const char* const call = __func__;
  return make_collective(made, ctx, call, [&](auto& job) {
    std::vector<std::span<const std::byte>> all;
    if (job.rank() == root) all = lists_at(blocks, bytes, job, call);
    return onehop::persistent_scatterv(job, all, bytes_at(mine, room, call, "the memory"), root);
  });
}

int onehop_collective_start(onehop_collective* collective) {
  return guarded(__func__, [&](const char* call) { collective_of(collective, call).start(); });
}

int onehop_collective_wait(onehop_collective* collective) {
  return guarded(__func__, [&](const char* call) { collective_of(collective, call).wait(); });
}

int onehop_collective_test(onehop_collective* collective, int* over) {
  return guarded(__func__, [&](const char* call) {
    int& to = at(over, call, "over");
    to = collective_of(collective, call).test() ? 1 : 0;
  });
}

int onehop_collective_free(onehop_collective* collective) { return free_handle(collective); }
