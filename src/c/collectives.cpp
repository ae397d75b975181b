#include <algorithm>
#include <onehop/collectives.hpp>

#include "base/text.hpp"
#include "c/handles.hpp"

using namespace onehop::c;

namespace {

onehop::reduction reduction_of(onehop_reduction how, const char* call) {
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
  throw onehop::usage_error(onehop::text(call, ": there is no reduction ", static_cast<int>(how),
                                         ": give ONEHOP_SUM or another"));
}

}  // namespace

onehop::combiner onehop::c::combiner_of(onehop_type type, onehop_reduction how, const char* call) {
  const onehop::reduction kind = reduction_of(how, call);
  switch (type) {
    case ONEHOP_INT32:
      return onehop::combiner_of<std::int32_t>(kind);
    case ONEHOP_INT64:
      return onehop::combiner_of<std::int64_t>(kind);
    case ONEHOP_UINT32:
      return onehop::combiner_of<std::uint32_t>(kind);
    case ONEHOP_UINT64:
      return onehop::combiner_of<std::uint64_t>(kind);
    case ONEHOP_FLOAT:
      return onehop::combiner_of<float>(kind);
    case ONEHOP_DOUBLE:
      return onehop::combiner_of<double>(kind);
  }
  throw onehop::usage_error(onehop::text(call, ": there is no type ", static_cast<int>(type),
                                         ": give ONEHOP_DOUBLE or another"));
}

namespace {

/// Calls a collective that combines values in place.
template <class Collective>
int in_place(const onehop_context* ctx, void* values, size_t count, onehop_type type,
             onehop_reduction how, const char* call, Collective&& collective) {
  return guarded(call, [&](const char*) {
    const onehop::combiner combine = combiner_of(type, how, call);
    const onehop::context& job = context_of(ctx, call);
    collective(job, values_at(values, count, combine, call), combine);
  });
}

/// places provides memory for blocks from other ranks, each with as many bytes as there is room
/// for.
class places {
 public:
  places(const onehop::context& job, void* const* memory, const size_t* room, size_t* came,
         const char* call)
      : call_(call),
        memory_(list(memory, static_cast<size_t>(job.size()), call, "the list of places")),
        room_(list(room, memory_.size(), call, "the list of room")),
        came_(came, came != nullptr ? memory_.size() : 0) {
    for (size_t& bytes : came_) bytes = 0;
  }
  std::span<std::byte> operator()(int origin, size_t bytes) const {
    const auto rank = static_cast<size_t>(origin);
    // A block that is too long gets memory of another size, which the collective refuses.
    const size_t taken = std::min(bytes, room_[rank]);
    if (!came_.empty()) came_[rank] = taken;
    return bytes_at(memory_[rank], taken, call_, "the place of a block");
  }

 private:
  const char* call_;
  std::span<void* const> memory_;
  std::span<const size_t> room_;
  std::span<size_t> came_;
};

}  // namespace

int onehop_barrier(const onehop_context* ctx) {
  return guarded(__func__, [&](const char* call) { onehop::barrier(context_of(ctx, call)); });
}

int onehop_broadcast(const onehop_context* ctx, void* data, size_t bytes, int root) {
  return guarded(__func__, [&](const char* call) {
    onehop::broadcast(context_of(ctx, call), bytes_at(data, bytes, call, "the memory"), root);
  });
}

int onehop_allreduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how) {
  return in_place(ctx, values, count, type, how, __func__,
                  [](auto& job, auto all, auto& combine) { onehop::allreduce(job, all, combine); });
}

int onehop_reduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                  onehop_reduction how, int root) {
  return in_place(
      ctx, values, count, type, how, __func__,
      [root](auto& job, auto all, auto& combine) { onehop::reduce(job, all, combine, root); });
}

int onehop_scan(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                onehop_reduction how) {
  return in_place(ctx, values, count, type, how, __func__,
                  [](auto& job, auto all, auto& combine) { onehop::scan(job, all, combine); });
}

int onehop_exclusive_scan(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                          onehop_reduction how) {
  return in_place(ctx, values, count, type, how, __func__, [](auto& job, auto all, auto& combine) {
    onehop::exclusive_scan(job, all, combine);
  });
}

int onehop_reduce_scatter(const onehop_context* ctx, const void* all, void* mine, size_t count,
                          onehop_type type, onehop_reduction how) {
  const char* const call = __func__;
  return in_place(ctx, mine, count, type, how, call, [&](auto& job, auto block, auto& combine) {
    onehop::reduce_scatter(job, blocks_at(all, block.size(), job, call, "the memory of all"), block,
                           combine);
  });
}

int onehop_allgather(const onehop_context* ctx, const void* mine, size_t bytes, void* all) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    onehop::allgather(job, bytes_at(mine, bytes, call, "the memory"),
                      blocks_at(all, bytes, job, call, "the memory for all"));
  });
}

int onehop_gather(const onehop_context* ctx, const void* mine, size_t bytes, void* all, int root) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    std::span<std::byte> room;
    if (job.rank() == root) room = blocks_at(all, bytes, job, call, "the memory for all");
    onehop::gather(job, bytes_at(mine, bytes, call, "the memory"), room, root);
  });
}

int onehop_scatter(const onehop_context* ctx, const void* all, void* mine, size_t bytes, int root) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    std::span<const std::byte> given;
    if (job.rank() == root) given = blocks_at(all, bytes, job, call, "the memory of all");
    onehop::scatter(job, given, bytes_at(mine, bytes, call, "the memory"), root);
  });
}

int onehop_alltoall(const onehop_context* ctx, const void* send, void* receive, size_t bytes) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    const auto given = blocks_at(send, bytes, job, call, "the memory to send");
    const auto room = blocks_at(receive, bytes, job, call, "the memory to receive");
    std::vector<std::span<const std::byte>> blocks;
    for (size_t rank = 0; rank < static_cast<size_t>(job.size()); ++rank)
      blocks.push_back(given.subspan(rank * bytes, bytes));
    onehop::alltoallv(job, blocks, [&](int origin, size_t) {
      return room.subspan(static_cast<size_t>(origin) * bytes, bytes);
    });
  });
}

int onehop_alltoallv(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                     void* const* into, const size_t* room, size_t* came) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    onehop::alltoallv(job, lists_at(blocks, bytes, job, call), places(job, into, room, came, call));
  });
}

int onehop_gatherv(const onehop_context* ctx, const void* mine, size_t bytes, void* const* into,
                   const size_t* room, size_t* came, int root) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    onehop::receive_place place;
    if (job.rank() == root) place = places(job, into, room, came, call);
    onehop::gatherv(job, bytes_at(mine, bytes, call, "the memory"), place, root);
  });
}

int onehop_scatterv(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                    void* mine, size_t room, size_t* came, int root) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = context_of(ctx, call);
    std::vector<std::span<const std::byte>> given;
    if (job.rank() == root) given = lists_at(blocks, bytes, job, call);
    size_t taken = 0;
    onehop::scatterv(
        job, given,
        [&](int, size_t coming) {
          taken = std::min(coming, room);
          return bytes_at(mine, taken, call, "the memory");
        },
        root);
    if (came != nullptr) *came = taken;
  });
}
