#pragma once
/// This file defines the handles of onehop.h, and how its functions turn exceptions into codes.

#include <onehop.h>

#include <exception>
#include <onehop/cartesian.hpp>
#include <onehop/context.hpp>
#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>
#include <onehop/persistent_collective.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/reduction.hpp>
#include <onehop/stream.hpp>
#include <onehop/window.hpp>
#include <string>
#include <utility>
#include <vector>

struct onehop_context {
  onehop::context ctx;
};
struct onehop_window {
  onehop::window memory;
};
struct onehop_chain {
  onehop::put_chain chain;
  int rank;
  std::vector<onehop::put_slot> slots = {};
  std::vector<onehop::notification> arrivals = {};
  std::string words = {};
};
struct onehop_grid {
  onehop::cartesian ranks;
};
struct onehop_field {
  std::vector<std::byte> own;  ///< empty if the memory belongs to the caller
  onehop::halo_memory memory;
};
struct onehop_halo {
  onehop::halo_exchange exchange;
};
struct onehop_collective {
  onehop::persistent_collective collective;
};
struct onehop_stream {
  onehop::stream items;
};

namespace onehop::c {

/// Stores the exception being handled for onehop_error_message. Returns its code.
int note_error() noexcept;

/// Runs the body of an onehop.h function with the function's name, and lets no exception escape.
template <class Body>
int guarded(const char* call, Body&& body) noexcept {
  try {
    body(call);
    return ONEHOP_OK;
  } catch (...) {
    return note_error();
  }
}

[[noreturn]] void refuse_null(const char* call, const char* what);

/// Returns what a pointer points to; throws usage_error if it is null.
template <class T>
T& at(T* pointer, const char* call, const char* what) {
  if (pointer == nullptr) refuse_null(call, what);
  return *pointer;
}

/// Returns a list of `count` entries; a null pointer to no entries is not an error.
template <class T>
std::span<T> list(T* first, std::size_t count, const char* call, const char* what) {
  if (first == nullptr && count > 0) refuse_null(call, what);
  return {first, count};
}

/// Returns count * bytes; throws usage_error if that is more than an object can have.
std::size_t product(std::size_t count, std::size_t bytes, const char* call, const char* what);

template <class T>
std::span<std::byte> bytes_at(T* memory, std::size_t bytes, const char* call, const char* what) {
  return list(static_cast<std::byte*>(memory), bytes, call, what);
}
inline std::span<const std::byte> bytes_at(const void* memory, std::size_t bytes, const char* call,
                                           const char* what) {
  return list(static_cast<const std::byte*>(memory), bytes, call, what);
}

/// Returns the context of a handle; throws usage_error if the handle is null.
inline const context& context_of(const onehop_context* ctx, const char* call) {
  return at(ctx, call, "the context").ctx;
}
/// Returns the combiner for a type and a reduction; throws usage_error for invalid numbers.
combiner combiner_of(onehop_type type, onehop_reduction how, const char* call);
/// Returns `count` values of a combiner.
inline std::span<std::byte> values_at(void* memory, std::size_t count, const combiner& combine,
                                      const char* call) {
  return bytes_at(memory, product(count, combine.value_bytes, call, "values"), call, "the memory");
}
/// Returns blocks of `bytes`, one for each rank.
template <class T>
auto blocks_at(T* memory, std::size_t bytes, const context& ctx, const char* call,
               const char* what) {
  return bytes_at(memory, product(bytes, static_cast<std::size_t>(ctx.size()), call, "bytes"), call,
                  what);
}

/// Returns the blocks given by a list of pointers and a list of sizes, one for each rank.
template <class T>
auto lists_at(T* const* memory, const std::size_t* bytes, const context& ctx, const char* call) {
  const auto ranks = static_cast<std::size_t>(ctx.size());
  const auto pointers = list(memory, ranks, call, "the list of blocks");
  const auto sizes = list(bytes, ranks, call, "the list of bytes");
  std::vector<decltype(bytes_at(*memory, 0, call, ""))> blocks;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    blocks.push_back(bytes_at(pointers[rank], sizes[rank], call, "a block"));
  return blocks;
}

/// Writes a new handle to where the caller wants it.
template <class Handle>
void give(Handle** made, const char* call, Handle&& handle) {
  at(made, call, "the place for the new handle");
  *made = new Handle(std::move(handle));
}

template <class Handle>
int free_handle(Handle* handle) noexcept {
  return guarded(__func__, [&](const char*) { delete handle; });
}

}  // namespace onehop::c
