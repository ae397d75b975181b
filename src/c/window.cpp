#include "c/handles.hpp"

using namespace onehop::c;

int onehop_window_make(const onehop_context* ctx, size_t bytes, int banks, onehop_window** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = at(ctx, call, "the context").ctx;
    give(made, call, onehop_window{onehop::window::allocate(job, bytes, banks)});
  });
}

int onehop_window_make_over(const onehop_context* ctx, void* memory, size_t bytes,
                            onehop_window** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = at(ctx, call, "the context").ctx;
    const auto range = bytes_at(memory, bytes, call, "the memory");
    give(made, call, onehop_window{onehop::window::register_existing(job, range)});
  });
}

int onehop_window_bytes(const onehop_window* window, int rank, size_t* bytes) {
  return guarded(__func__, [&](const char* call) {
    at(bytes, call, "bytes") = at(window, call, "the window").memory.bytes(rank);
  });
}

int onehop_window_local(const onehop_window* window, int bank, void** memory) {
  return guarded(__func__, [&](const char* call) {
    at(memory, call, "memory") = at(window, call, "the window").memory.local(bank).data();
  });
}

int onehop_window_free(onehop_window* window) { return free_handle(window); }
