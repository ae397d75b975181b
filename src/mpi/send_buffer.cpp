#include "mpi/send_buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// MPI_BUFFER_AUTOMATIC sets no limit.
bool is_automatic(const void* base) { return reinterpret_cast<std::uintptr_t>(base) == 2; }

}  // namespace

send_buffer::send_buffer(void* base, std::size_t bytes) : base_(base), bytes_(bytes) {}

void send_buffer::send(std::unique_ptr<request> one) {
  const std::size_t bytes = one->room();
  is_empty();
  std::size_t used = bytes + overhead;
  for (const auto& other : sent_) used += other->room() + overhead;
  if (!is_automatic(base_) && used > bytes_)
    throw mpi_error(
        err_buffer,
        text("a message of ", bytes, " bytes does not fit a buffer of ", bytes_, " bytes"),
        one->comm);
  std::vector<std::byte> copy(bytes);
  one->type->pack(one->buffer, one->count, copy.data());
  one->packed = std::move(copy);
  one->buffer = one->packed.data();
  one->count = bytes;
  one->type = datatype_of(fixed<MPI_Datatype>(0x247));
  running().start(*one);
  sent_.push_back(std::move(one));
}

bool send_buffer::is_empty() {
  std::erase_if(sent_, [](const auto& one) { return one->complete; });
  return sent_.empty();
}

void send_buffer::flush() {
  if (is_empty()) return;
  running().wait([this] { return is_empty(); },
                 [this] { return running().missing(*sent_.front()); });
}

void attach(std::shared_ptr<send_buffer>& where, void* base, std::ptrdiff_t bytes) {
  if (where) throw mpi_error(err_buffer, "a buffer is attached already");
  if (bytes < 0) throw mpi_error(err_arg, text("the size is ", bytes));
  where = std::make_shared<send_buffer>(base, static_cast<std::size_t>(bytes));
}

std::ptrdiff_t detach(std::shared_ptr<send_buffer>& where, void* base) {
  flush(where);
  void* const first = where ? where->base() : nullptr;
  std::memcpy(base, &first, sizeof first);
  const std::shared_ptr<send_buffer> detached = std::exchange(where, nullptr);
  return detached ? static_cast<std::ptrdiff_t>(detached->bytes()) : 0;
}

void flush(const std::shared_ptr<send_buffer>& where) {
  if (where) where->flush();
}

}  // namespace onehop::mpi_abi
