#include "c/handles.hpp"

using namespace onehop::c;

namespace {

onehop::stream& items_of(onehop_stream* stream, const char* call) {
  return at(stream, call, "the stream").items;
}

onehop_place place_of(const onehop::stream::place& place) {
  return {place.bytes.data(), place.bytes.size(), place.consumer};
}

void write_item(const onehop::stream::item& from, onehop_item* to, const char* call) {
  at(to, call, "the place for the item") = {from.bytes.data(), from.bytes.size(), from.producer,
                                            from.block};
}

}  // namespace

int onehop_stream_make(const onehop_context* ctx, const int* producers, size_t producer_count,
                       const int* consumers, size_t consumer_count, size_t largest_item,
                       size_t block_bytes, int blocks, onehop_stream** made) {
  return guarded(__func__, [&](const char* call) {
    onehop::stream_options how{.largest_item = largest_item, .block_bytes = block_bytes};
    if (blocks != 0) how.blocks = blocks;
    give(
        made, call,
        onehop_stream{onehop::stream(at(ctx, call, "the context").ctx,
                                     list(producers, producer_count, call, "the producers"),
                                     list(consumers, consumer_count, call, "the consumers"), how)});
  });
}

int onehop_stream_reserve(onehop_stream* stream, size_t bytes, int consumer, onehop_place* place) {
  return guarded(__func__, [&](const char* call) {
    onehop_place& to = at(place, call, "the place");
    to = place_of(items_of(stream, call).reserve(bytes, consumer));
  });
}

int onehop_stream_try_reserve(onehop_stream* stream, size_t bytes, int consumer,
                              onehop_place* place, int* reserved) {
  return guarded(__func__, [&](const char* call) {
    onehop_place& to = at(place, call, "the place");
    int& has_room = at(reserved, call, "reserved");
    const auto found = items_of(stream, call).try_reserve(bytes, consumer);
    if (found) to = place_of(*found);
    has_room = found ? 1 : 0;
  });
}

int onehop_stream_publish(onehop_stream* stream, const onehop_place* place, size_t bytes) {
  return guarded(__func__, [&](const char* call) {
    const onehop_place& from = at(place, call, "the place");
    const std::span<std::byte> memory(static_cast<std::byte*>(from.bytes), from.size);
    items_of(stream, call).publish({memory, from.consumer}, bytes);
  });
}

int onehop_stream_send(onehop_stream* stream, const void* bytes, size_t size, int consumer) {
  return guarded(__func__, [&](const char* call) {
    items_of(stream, call).send(bytes_at(bytes, size, call, "the memory"), consumer);
  });
}

int onehop_stream_flush(onehop_stream* stream) {
  return guarded(__func__, [&](const char* call) { items_of(stream, call).flush(); });
}

int onehop_stream_close(onehop_stream* stream) {
  return guarded(__func__, [&](const char* call) { items_of(stream, call).close(); });
}

int onehop_stream_next(onehop_stream* stream, onehop_item* item, int* ended) {
  return guarded(__func__, [&](const char* call) {
    int& over = at(ended, call, "ended");
    at(item, call, "the place for the item");
    const auto taken = items_of(stream, call).next();
    if (taken) write_item(*taken, item, call);
    over = taken ? 0 : 1;
  });
}

int onehop_stream_try_next(onehop_stream* stream, onehop_item* item, int* taken, int* ended) {
  return guarded(__func__, [&](const char* call) {
    int& there = at(taken, call, "taken");
    int& over = at(ended, call, "ended");
    at(item, call, "the place for the item");
    onehop::stream::item found;
    const auto state = items_of(stream, call).try_next(found);
    there = state == onehop::stream::state::item ? 1 : 0;
    over = state == onehop::stream::state::ended ? 1 : 0;
    if (there != 0) write_item(found, item, call);
  });
}

int onehop_stream_release(onehop_stream* stream, const onehop_item* item) {
  return guarded(__func__, [&](const char* call) {
    const onehop_item& from = at(item, call, "the item");
    const std::span<const std::byte> memory(static_cast<const std::byte*>(from.bytes), from.size);
    items_of(stream, call).release({memory, from.producer, from.block});
  });
}

int onehop_stream_free(onehop_stream* stream) { return free_handle(stream); }
