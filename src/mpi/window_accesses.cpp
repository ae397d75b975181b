// These functions carry out a rank's puts, gets and accumulates in the window of another rank.

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"
#include "mpi/window.hpp"

namespace onehop::mpi_abi {
namespace {

/// Elements as one run of bytes, either in the caller's memory or copied.
class run_of {
 public:
  explicit run_of(const typed_buffer& from) {
    const std::size_t bytes = from.count * from.type->size();
    if (is_run_of_host(*from.type, from.data)) {
      run_ = {static_cast<const std::byte*>(from.data), bytes};
      return;
    }
    copy_.resize(bytes);
    from.type->pack(from.data, from.count, copy_.data());
    run_ = copy_;
  }
  std::span<const std::byte> bytes() const noexcept { return run_; }

 private:
  std::vector<std::byte> copy_;
  std::span<const std::byte> run_;
};

const MPI_Datatype byte_type = fixed<MPI_Datatype>(0x247);

/// Encodes an operation and the predefined datatype to which it applies. A datatype of no bytes has
/// no predefined datatype, but then there is nothing to do.
std::uint64_t operation_on(const datatype& type, MPI_Op how) {
  const std::uintptr_t what = number_of(how);
  if (type.size() == 0) return std::uint64_t{op_no_op} << 32 | number_of(byte_type);
  const datatype_ptr* const base = predefined_datatype(fixed<MPI_Datatype>(type.base));
  if (base == nullptr) throw mpi_error(err_type, "the datatype mixes elements of several kinds");
  if (what == op_replace || what == op_no_op) return std::uint64_t{what} << 32 | type.base;
  if (operation_of(how).fixed_handle == 0)
    throw mpi_error(err_op, "a function of the caller's is no operation of windows");
  require_applies(operation_of(how), **base);
  return std::uint64_t{what} << 32 | type.base;
}

void require_same_size(std::size_t here, const one_sided_access& there) {
  if (here != there.count * there.type->size())
    throw mpi_error(err_arg, text(here, " bytes here do not match ",
                                  there.count * there.type->size(), " bytes at the target"));
}

}  // namespace

std::size_t window::payload_room() {
  return std::min<std::size_t>(running().most_payload(), std::size_t{16} << 10);
}

// Operations need whole elements, so the size of a piece is a multiple of `grain` bytes. An element
// with gaps is a piece by itself, which is given by the start of the element.
std::vector<window::piece> window::pieces_of(const one_sided_access& access,
                                             std::size_t grain) const {
  const window_part& there = part(access.rank);
  const datatype& type = *access.type;
  const std::ptrdiff_t begin = access.displacement * static_cast<std::ptrdiff_t>(there.unit);
  std::vector<piece> pieces;
  std::size_t left = 0;  // bytes still missing from the current element
  const auto add = [&](std::ptrdiff_t place, std::size_t bytes) {
    if (grain > 0) {
      for (; bytes > 0;) {
        if (left == 0) {
          pieces.push_back({place, grain});
          left = grain;
        }
        const std::size_t now = std::min(left, bytes);
        left -= now;
        bytes -= now;
        place += static_cast<std::ptrdiff_t>(now);
      }
    } else if (!pieces.empty() &&
               pieces.back().place + static_cast<std::int64_t>(pieces.back().bytes) == place) {
      pieces.back().bytes += bytes;
    } else {
      pieces.push_back({place, bytes});
    }
  };
  if (type.contiguous() && grain == 0) {
    if (type.size() * access.count > 0) add(begin, type.size() * access.count);
  } else {
    for (std::size_t i = 0; i < access.count; ++i)
      for (const datatype::segment& one : type.segments())
        add(begin + static_cast<std::ptrdiff_t>(i) * type.extent() + one.offset, one.bytes);
  }
  if (flavor_ != flavor_dynamic)
    for (const piece& one : pieces)
      if (one.place < 0 || one.place + static_cast<std::int64_t>(one.bytes) > there.bytes)
        throw mpi_error(
            err_rma_range,
            text("bytes ", one.place, " to ", one.place + static_cast<std::int64_t>(one.bytes),
                 " are outside of the ", there.bytes, " bytes of rank ", access.rank),
            comm_);
  return pieces;
}

// Each packet carries as many pieces as fit, together with their data. The data may be sent with it
// or come back.
void window::transfer(verb what, const one_sided_access& access, std::span<const std::byte> data,
                      std::uint64_t how, pending_read* back) {
  const auto base = static_cast<std::uintptr_t>(how & 0xffffffff);
  const datatype* const elements =
      base == 0 ? nullptr : predefined_datatype(fixed<MPI_Datatype>(base))->get();
  const bool gaps = elements != nullptr && !elements->contiguous();
  std::vector<piece> pieces = pieces_of(access, gaps ? elements->size() : 0);
  const std::size_t element = elements == nullptr ? 1 : elements->size();
  const std::size_t room = payload_room();
  std::vector<std::byte> payload;
  std::size_t done = 0;
  for (std::size_t next = 0; next < pieces.size();) {
    std::vector<piece> some;
    std::size_t bytes = 0;
    while (next < pieces.size()) {
      const std::size_t taken = (some.size() + 1) * sizeof(piece) + bytes;
      if (taken + element > room) break;
      const std::size_t fits =
          std::min<std::size_t>((room - taken) / element * element, pieces[next].bytes);
      some.push_back({pieces[next].place, fits});
      bytes += fits;
      pieces[next].place += static_cast<std::int64_t>(fits);
      pieces[next].bytes -= fits;
      if (pieces[next].bytes > 0) break;
      ++next;
    }
    const auto list = std::as_bytes(std::span(some));
    payload.assign(list.begin(), list.end());
    if (!data.empty()) {
      const auto part = data.subspan(done, bytes);
      payload.insert(payload.end(), part.begin(), part.end());
    }
    deliver(access.rank,
            {.what = packet_header::one_sided,
             .context = comm_->messages(),
             .source = comm_->rank(),
             .tag = what,
             .bytes = some.size(),
             .sender = token_of(back),
             .receiver = how,
             .place = done},
            payload);
    done += bytes;
  }
}

/// Waits until no other rank is changing a rank's memory. A wait may test its condition again after
/// it has held, so the result is kept.
void window::acquire(int rank) {
  bool acquired = shared_->try_acquire(rank);
  if (acquired) return;
  wait_for([&] { return acquired = acquired || shared_->try_acquire(rank); },
           "has memory that another one is changing", rank);
}

// Every direct access to shared memory is carried out here at once. Accesses that combine are
// atomic: the rank does nothing else until it has released the memory.
void window::deliver(int rank, const packet_header& header, std::span<const std::byte> payload) {
  const auto what = static_cast<verb>(header.tag);
  if (!is_direct_) {
    await_room(rank, 0);
    owed_[slot_of(rank)] = reads(what) ? owed::replies : owed::answer;
    running().post(comm_->world(rank), header, payload);
    return;
  }
  const bool combines = what != verb_put && what != verb_get;
  if (combines) acquire(rank);
  const std::vector<std::byte> back = carry_out(header, payload, shared_->part(rank));
  if (combines) shared_->release(rank);
  if (reads(what)) take_reply(header, back);
}

void window::put(const typed_buffer& from, const one_sided_access& to) {
  const run_of data(from);
  require_same_size(data.bytes().size(), to);
  transfer(verb_put, to, data.bytes(), 0, nullptr);
}

void window::accumulate(const typed_buffer& from, const one_sided_access& to, MPI_Op how) {
  const run_of data(from);
  require_same_size(data.bytes().size(), to);
  transfer(verb_accumulate, to, data.bytes(), operation_on(*to.type, how), nullptr);
}

namespace {

/// Returns whether no data come back. A request for the access is then complete.
bool is_nothing(std::size_t bytes, request* done) {
  if (bytes == 0 && done != nullptr) running().complete(*done);
  return bytes == 0;
}

}  // namespace

window::pending_read* window::expect(int rank, const typed_buffer& into, request* done) {
  const std::size_t bytes = into.count * into.type->size();
  if (!is_direct_) await_room(rank, bytes);
  ++reading_[slot_of(rank)];
  coming_ += bytes;
  return new pending_read{rank, into.type, into.data, bytes, bytes, done};
}

// Earlier accesses of this rank may change what it reads now, so this read must not overtake them.
bool window::read_at_once(const typed_buffer& into, int rank, std::span<const piece> pieces) {
  // The kernel may read half of a word while it changes; the target itself does not.
  constexpr std::size_t longest_word = 64;
  const std::size_t bytes = into.count * into.type->size();
  const owed before = owed_[slot_of(rank)];
  const bool carried_out =
      before == owed::nothing || (before == owed::replies && reading_[slot_of(rank)] == 0);
  if (shared_ || bytes <= longest_word || !carried_out) return false;
  const std::uint64_t base = flavor_ == flavor_dynamic ? 0 : part(rank).base;
  std::vector<engine::memory_piece> there;
  there.reserve(pieces.size());
  for (const piece& one : pieces)
    there.push_back({base + static_cast<std::uint64_t>(one.place), one.bytes});
  const int world = comm_->world(rank);
  if (is_run_of_host(*into.type, into.data))
    return running().read_memory(world, there, static_cast<std::byte*>(into.data));
  std::vector<std::byte> packed(bytes);
  if (!running().read_memory(world, there, packed.data())) return false;
  into.type->unpack(packed, into.data);
  return true;
}

void window::get(const typed_buffer& into, const one_sided_access& from, request* done) {
  const std::size_t bytes = into.count * into.type->size();
  require_same_size(bytes, from);
  const std::vector<piece> pieces = pieces_of(from, 0);
  if (is_nothing(bytes, done)) return;
  if (!read_at_once(into, from.rank, pieces))
    transfer(verb_get, from, {}, 0, expect(from.rank, into, done));
  else if (done != nullptr)
    running().complete(*done);
}

void window::get_accumulate(const typed_buffer& from, const typed_buffer& into,
                            const one_sided_access& place, MPI_Op how, request* done) {
  const std::size_t bytes = into.count * into.type->size();
  require_same_size(bytes, place);
  pieces_of(place, 0);
  if (is_nothing(bytes, done)) return;
  const std::uint64_t what = operation_on(*place.type, how);
  if (number_of(how) == op_no_op) {
    transfer(verb_get_accumulate, place, {}, what, expect(place.rank, into, done));
    return;
  }
  const run_of data(from);
  require_same_size(data.bytes().size(), place);
  transfer(verb_get_accumulate, place, data.bytes(), what, expect(place.rank, into, done));
}

namespace {

/// Numbers of the other kinds may be equal although their bytes differ.
bool is_comparable(element kind) {
  return (kind >= element::i8 && kind <= element::u64) || kind == element::boolean ||
         kind == element::logical32 || kind == element::byte;
}

}  // namespace

void window::compare_and_swap(const void* value, const void* compared, void* result,
                              const one_sided_access& place) {
  const datatype& type = *place.type;
  if (type.recipe || !is_comparable(type.kind()))
    throw mpi_error(err_type, "only predefined integers, logical numbers and bytes are compared");
  const std::vector<piece> pieces = pieces_of(place, 0);
  std::vector<std::byte> payload;
  const auto list = std::as_bytes(std::span(pieces).first(1));
  payload.assign(list.begin(), list.end());
  for (const void* const one : {compared, value}) {
    payload.resize(payload.size() + type.size());
    type.pack(one, 1, payload.data() + payload.size() - type.size());
  }
  deliver(place.rank,
          {.what = packet_header::one_sided,
           .context = comm_->messages(),
           .source = comm_->rank(),
           .tag = verb_compare_and_swap,
           .bytes = 1,
           .sender = token_of(expect(place.rank, {result, 1, place.type}, nullptr))},
          payload);
}

}  // namespace onehop::mpi_abi
