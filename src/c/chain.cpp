#include "base/text.hpp"
#include "c/handles.hpp"

using namespace onehop::c;

namespace {

onehop_chain& chain_of(onehop_chain* chain, const char* call) {
  return at(chain, call, "the chain");
}
const onehop_chain& chain_of(const onehop_chain* chain, const char* call) {
  return at(chain, call, "the chain");
}

/// Returns the chain's own name of the put or arrival with this number.
template <class Name>
Name named(const std::vector<Name>& names, int number, int rank, const char* call,
           const char* what) {
  if (number >= 0 && static_cast<std::size_t>(number) < names.size())
    return names[static_cast<std::size_t>(number)];
  throw onehop::usage_error(onehop::text("rank ", rank, ": ", call, " of ", what, " ", number,
                                         " of a chain with ", names.size(),
                                         ": they count from 0 in the order of their making"));
}
onehop::put_slot slot_of(const onehop_chain& chain, int slot, const char* call) {
  return named(chain.slots, slot, chain.rank, call, "put");
}
onehop::notification arrival_of(const onehop_chain& chain, int arrival, const char* call) {
  return named(chain.arrivals, arrival, chain.rank, call, "arrival");
}

int push(onehop_chain* chain, const char* call, const onehop::put& put, int* slot) {
  return guarded(call, [&](const char*) {
    onehop_chain& to = chain_of(chain, call);
    to.slots.push_back(to.chain.push(put));
    if (slot != nullptr) *slot = static_cast<int>(to.slots.size()) - 1;
  });
}

/// A put with a source must have one, because a null source means another kind of put.
int push_from(onehop_chain* chain, const char* call, const void* source, onehop::put put,
              int* slot) {
  const int checked =
      guarded(call, [&](const char*) { at(static_cast<const char*>(source), call, "the source"); });
  put.source.data = static_cast<const std::byte*>(source);
  return checked != ONEHOP_OK ? checked : push(chain, call, put, slot);
}

}  // namespace

int onehop_chain_make(const onehop_context* ctx, const onehop_window* window, onehop_chain** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = at(ctx, call, "the context").ctx;
    const onehop::window& memory = at(window, call, "the window").memory;
    give(made, call, onehop_chain{onehop::put_chain(job, memory), job.rank()});
  });
}

int onehop_chain_push(onehop_chain* chain, const void* source, size_t bytes, int target,
                      size_t offset, int* slot) {
  return push_from(chain, __func__, source, {{nullptr, bytes, 1, 0}, target, offset}, slot);
}

int onehop_chain_push_strided(onehop_chain* chain, const void* source, size_t blocks,
                              size_t block_bytes, ptrdiff_t stride_bytes, int target, size_t offset,
                              int* slot) {
  return push_from(chain, __func__, source,
                   {{nullptr, block_bytes, blocks, stride_bytes}, target, offset}, slot);
}

int onehop_chain_push_apart(onehop_chain* chain, const void* source, size_t blocks,
                            size_t block_bytes, ptrdiff_t stride_bytes, int target, size_t offset,
                            size_t runs, size_t run_bytes, ptrdiff_t run_stride_bytes, int* slot) {
  onehop::put put{{nullptr, block_bytes, blocks, stride_bytes}, target, offset};
  put.remote = onehop::strided_layout::blocks(run_bytes, runs, run_stride_bytes);
  return push_from(chain, __func__, source, put, slot);
}

int onehop_chain_push_packed(onehop_chain* chain, size_t bytes, int target, size_t offset,
                             int* slot) {
  return push(chain, __func__, onehop::put::packed(bytes, target, offset), slot);
}

int onehop_chain_push_up_to(onehop_chain* chain, const void* source, size_t most_bytes, int target,
                            size_t offset, int* slot) {
  return push_from(chain, __func__, source, onehop::put::packed_up_to(most_bytes, target, offset),
                   slot);
}

int onehop_chain_push_packed_up_to(onehop_chain* chain, size_t most_bytes, int target,
                                   size_t offset, int* slot) {
  return push(chain, __func__, onehop::put::packed_up_to(most_bytes, target, offset), slot);
}

int onehop_chain_add_origin(onehop_chain* chain, int origin, int* arrival) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& to = chain_of(chain, call);
    to.arrivals.push_back(to.chain.add_origin(origin));
    if (arrival != nullptr) *arrival = static_cast<int>(to.arrivals.size()) - 1;
  });
}

int onehop_chain_take_turns(onehop_chain* chain) {
  return guarded(__func__, [&](const char* call) { chain_of(chain, call).chain.take_turns(); });
}

int onehop_chain_commit(onehop_chain* chain) {
  return guarded(__func__, [&](const char* call) { chain_of(chain, call).chain.commit(); });
}

int onehop_chain_set_bytes(onehop_chain* chain, int slot, size_t bytes) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    of.chain.set_bytes(slot_of(of, slot, call), bytes);
  });
}

int onehop_chain_start(onehop_chain* chain) {
  return guarded(__func__, [&](const char* call) { chain_of(chain, call).chain.start(); });
}

int onehop_chain_start_partial(onehop_chain* chain) {
  return guarded(__func__, [&](const char* call) { chain_of(chain, call).chain.start_partial(); });
}

int onehop_chain_ready(onehop_chain* chain, int slot) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    of.chain.ready(slot_of(of, slot, call));
  });
}

int onehop_chain_can_start(onehop_chain* chain, int* can) {
  return guarded(__func__, [&](const char* call) {
    int& to = at(can, call, "can");
    to = chain_of(chain, call).chain.can_start() ? 1 : 0;
  });
}

int onehop_chain_wait(onehop_chain* chain) {
  return guarded(__func__, [&](const char* call) { chain_of(chain, call).chain.wait(); });
}

int onehop_chain_wait_for(onehop_chain* chain, int arrival) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    of.chain.wait(arrival_of(of, arrival, call));
  });
}

int onehop_chain_wait_any(onehop_chain* chain, const int* arrivals, size_t count, size_t* which) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    at(which, call, "which");
    std::vector<onehop::notification> several;
    for (const int arrival : list(arrivals, count, call, "the list of arrivals"))
      several.push_back(arrival_of(of, arrival, call));
    *which = of.chain.wait_any(several);
  });
}

int onehop_chain_wait_some(onehop_chain* chain, int* arrivals, size_t count, size_t* visible) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    at(visible, call, "visible");
    const std::span<int> numbers = list(arrivals, count, call, "the list of arrivals");
    std::vector<onehop::notification> several;
    for (const int arrival : numbers) several.push_back(arrival_of(of, arrival, call));
    *visible = of.chain.wait_some(several);
    // A chain counts its arrivals in the order of the add_origin calls, as onehop.h documents.
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = several[k].index;
  });
}

int onehop_chain_test(onehop_chain* chain, int* over) {
  return guarded(__func__, [&](const char* call) {
    int& to = at(over, call, "over");
    to = chain_of(chain, call).chain.test() ? 1 : 0;
  });
}

int onehop_chain_test_for(onehop_chain* chain, int arrival, int* visible) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    int& to = at(visible, call, "visible");
    to = of.chain.test(arrival_of(of, arrival, call)) ? 1 : 0;
  });
}

int onehop_chain_source_free(const onehop_chain* chain, int slot, int* is_free) {
  return guarded(__func__, [&](const char* call) {
    const onehop_chain& of = chain_of(chain, call);
    int& to = at(is_free, call, "is_free");
    to = of.chain.source_free(slot_of(of, slot, call)) ? 1 : 0;
  });
}

int onehop_chain_target_view(const onehop_chain* chain, int slot, void** memory, size_t* bytes) {
  return guarded(__func__, [&](const char* call) {
    const onehop_chain& of = chain_of(chain, call);
    const std::span<std::byte> view = of.chain.target_view(slot_of(of, slot, call));
    at(memory, call, "memory") = view.data();
    if (bytes != nullptr) *bytes = view.size();
  });
}

int onehop_chain_arrived(const onehop_chain* chain, int arrival, const void** memory,
                         size_t* bytes) {
  return guarded(__func__, [&](const char* call) {
    const onehop_chain& of = chain_of(chain, call);
    const std::span<const std::byte> view = of.chain.arrived(arrival_of(of, arrival, call));
    at(memory, call, "memory") = view.data();
    if (bytes != nullptr) *bytes = view.size();
  });
}

int onehop_chain_clear(onehop_chain* chain) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    of.chain.clear();
    of.slots.clear();
    of.arrivals.clear();
  });
}

int onehop_chain_describe(onehop_chain* chain, const char** words) {
  return guarded(__func__, [&](const char* call) {
    onehop_chain& of = chain_of(chain, call);
    at(words, call, "words");
    of.words = of.chain.describe();
    *words = of.words.c_str();
  });
}

int onehop_chain_free(onehop_chain* chain) { return free_handle(chain); }
