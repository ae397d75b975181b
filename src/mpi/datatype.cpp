#include "mpi/datatype.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"

namespace onehop::mpi_abi {

datatype::datatype(element of, std::vector<segment> parts, std::size_t extent,
                   std::size_t alignment)
    : alignment_(static_cast<std::ptrdiff_t>(alignment)), kind_(of) {
  for (const segment& one : parts) add(one);
  elements_ = size_ == 0 ? 0 : second_of_pair() > 0 ? 2 : 1;
  find_bounds();
  lower_ = 0;
  extent_ = static_cast<std::ptrdiff_t>(extent);
  contiguous_ = is_one_run();
  committed = true;
}

// The bounds follow the standard's typemap: the smallest lower bound and the largest upper bound of
// all blocks. A block of no elements has no bounds.
datatype::datatype(std::span<const block> blocks) : blocks_(blocks.begin(), blocks.end()) {
  std::ptrdiff_t lowest = std::numeric_limits<std::ptrdiff_t>::max();
  std::ptrdiff_t highest = std::numeric_limits<std::ptrdiff_t>::min();
  bool first = true;
  for (const block& one : blocks) {
    if (one.count == 0) continue;
    base = first || base == one.type->base ? one.type->base : datatype_null;
    first = false;
    elements_ += one.count * one.type->elements_;
    alignment_ = std::max(alignment_, one.type->alignment_);
    const std::ptrdiff_t step = one.type->extent();
    const std::ptrdiff_t last = step * (static_cast<std::ptrdiff_t>(one.count) - 1);
    const std::ptrdiff_t first_lower = one.displacement + one.type->lower();
    lowest = std::min(lowest, first_lower + std::min<std::ptrdiff_t>(0, last));
    highest = std::max(highest, first_lower + step + std::max<std::ptrdiff_t>(0, last));
    if (one.type->contiguous()) {
      add({one.displacement, one.count * one.type->size()});
      continue;
    }
    for (std::size_t i = 0; i < one.count; ++i)
      for (const segment& part : one.type->segments_)
        add({one.displacement + static_cast<std::ptrdiff_t>(i) * step + part.offset, part.bytes});
  }
  find_bounds();
  if (highest >= lowest) {
    lower_ = lowest;
    extent_ = highest - lowest;
  }
  contiguous_ = is_one_run();
}

bool datatype::is_one_run() const noexcept {
  return size_ == 0 || (segments_.size() == 1 && segments_[0].offset == 0 && lower_ == 0 &&
                        extent_ == static_cast<std::ptrdiff_t>(size_));
}

void datatype::add(segment one) {
  if (one.bytes == 0) return;
  size_ += one.bytes;
  if (!segments_.empty()) {
    segment& last = segments_.back();
    if (last.offset + static_cast<std::ptrdiff_t>(last.bytes) == one.offset) {
      last.bytes += one.bytes;
      return;
    }
  }
  segments_.push_back(one);
}

void datatype::find_bounds() {
  if (segments_.empty()) return;
  true_lower_ = std::numeric_limits<std::ptrdiff_t>::max();
  true_upper_ = std::numeric_limits<std::ptrdiff_t>::min();
  for (const segment& one : segments_) {
    true_lower_ = std::min(true_lower_, one.offset);
    true_upper_ = std::max(true_upper_, one.offset + static_cast<std::ptrdiff_t>(one.bytes));
  }
}

datatype datatype::resized(std::ptrdiff_t lower, std::ptrdiff_t extent) const {
  datatype other = *this;
  other.committed = false;
  other.kind_ = element::none;
  other.attributes = {};
  other.name.clear();
  other.lower_ = lower;
  other.extent_ = extent;
  other.alignment_ = 1;
  other.contiguous_ = other.is_one_run();
  return other;
}

datatype datatype::padded() const {
  const std::ptrdiff_t over = extent_ % alignment_;
  if (over == 0) return *this;
  datatype other = resized(lower_, extent_ + alignment_ - over);
  other.alignment_ = alignment_;
  return other;
}

void datatype::pack(const void* buffer, std::size_t count, std::byte* packed) const {
  if (size_ == 0 || count == 0) return;
  if (on_device(*this, buffer)) return pack_on_device(*this, buffer, count, packed);
  const auto* from = static_cast<const std::byte*>(buffer);
  if (contiguous_) {
    copy_bytes(packed, from, count * size_);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, from += extent_)
    for (const segment& one : segments_) {
      copy_bytes(packed, from + one.offset, one.bytes);
      packed += one.bytes;
    }
}

void datatype::unpack(std::span<const std::byte> packed, void* buffer) const {
  if (packed.empty()) return;
  if (on_device(*this, buffer)) return unpack_on_device(*this, packed, buffer);
  auto* to = static_cast<std::byte*>(buffer);
  if (contiguous_) {
    copy_bytes(to, packed.data(), packed.size());
    return;
  }
  for (; !packed.empty(); to += extent_)
    for (const segment& one : segments_) {
      const std::size_t bytes = std::min(one.bytes, packed.size());
      if (bytes > 0) copy_bytes(to + one.offset, packed.data(), bytes);
      packed = packed.subspan(bytes);
    }
}

namespace {

/// A handle is used by the caller, and by each reduction in progress.
struct shared_handle {
  datatype_ptr type;
  int users = 1;
  bool freed = false;  ///< whether the caller has freed it
};
void drop(shared_handle& one) {
  if (--one.users == 0) end_object(&one);
}

}  // namespace

const datatype_ptr& datatype_of(MPI_Datatype handle) {
  if (const auto* const known = object_at<shared_handle>(handle)) return known->type;
  if (const datatype_ptr* found = predefined_datatype(handle)) return *found;
  throw mpi_error(err_type, handle == fixed<MPI_Datatype>(datatype_null)
                                ? std::string("the datatype is MPI_DATATYPE_NULL")
                                : text("no datatype has the handle ", number_of(handle)));
}

MPI_Datatype new_handle(datatype_ptr type) {
  ++type->handles.number;
  return reinterpret_cast<MPI_Datatype>(keep_object(shared_handle{std::move(type)}));
}

void free_handle(MPI_Datatype handle) {
  datatype& type = *datatype_of(handle);
  if (is_fixed(handle)) throw mpi_error(err_type, "the datatype is predefined");
  shared_handle& shared = *object_at<shared_handle>(handle);
  if (std::exchange(shared.freed, true)) throw mpi_error(err_type, "the datatype was freed");
  if (type.handles.number == 1) type.attributes.clear(handle);
  --type.handles.number;
  drop(shared);
}

std::shared_ptr<const void> keep_handle(MPI_Datatype handle) {
  auto* const shared = object_at<shared_handle>(handle);
  if (shared == nullptr) return nullptr;
  ++shared->users;
  return {shared, [](shared_handle* one) { drop(*one); }};
}

MPI_Datatype handle_to(const datatype_ptr& type) {
  const auto base = fixed<MPI_Datatype>(type->base);
  const datatype_ptr* const known = predefined_datatype(base);
  return known != nullptr && *known == type ? base : new_handle(type);
}

// The second number of a pair is an int, or has the size of the first.
std::size_t datatype::second_of_pair() const noexcept {
  if (kind_ < element::pair_f32_i32) return 0;
  return kind_ >= element::pair_f32_f32 ? size_ / 2 : sizeof(int);
}

// Elements are counted by whole blocks, since a datatype may have billions of them.
std::size_t datatype::take_elements(std::size_t& bytes) const {
  if (size_ == 0) return 0;
  std::size_t count = bytes / size_ * elements_;
  bytes %= size_;
  if (blocks_.empty() && elements_ == 2 && bytes >= size_ - second_of_pair()) {
    bytes -= size_ - second_of_pair();
    ++count;
  }
  std::size_t left = bytes;
  for (const block& one : blocks_) {
    if (left == 0) break;
    bytes = std::min(left, one.count * one.type->size());
    left -= bytes;
    count += one.type->take_elements(bytes);
  }
  return count;
}

std::size_t datatype::bytes_of(std::size_t elements) const {
  if (elements_ == 0) return 0;
  std::size_t bytes = elements / elements_ * size_, left = elements % elements_;
  if (blocks_.empty()) return left == 0 ? bytes : bytes + size_ - second_of_pair();
  for (const block& one : blocks_) {
    const std::size_t here = std::min(left, one.count * one.type->elements_);
    bytes += one.type->bytes_of(here);
    left -= here;
  }
  return bytes;
}

void datatype::add_numbers(std::vector<number>& all) const {
  for (const block& one : blocks_)
    for (std::size_t i = 0; i < one.count; ++i) one.type->add_numbers(all);
  if (!blocks_.empty() || size_ == 0) return;
  const bool is_complex =
      kind_ == element::c32 || kind_ == element::c64 || kind_ == element::c_long;
  const std::size_t second = is_complex ? size_ / 2 : second_of_pair();
  all.push_back({size_ - second, kind_, base});
  if (is_complex)
    all.push_back(all.back());
  else if (second > 0)
    all.push_back({second, element::none, base});
}

}  // namespace onehop::mpi_abi
