#pragma once
/// A datatype describes where the elements of a message lie in the caller's memory.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/abi.hpp"
#include "mpi/attributes.hpp"

namespace onehop::mpi_abi {

/// The element of a predefined datatype tells which operations apply to it.
enum class element {
  none,  ///< bytes that no operation takes
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f32,
  f64,
  f_long,
  c32,  ///< two f32
  c64,
  c_long,
  boolean,
  logical32,  ///< Fortran's logical numbers
  byte,
  pair_f32_i32,
  pair_f64_i32,
  pair_i64_i32,
  pair_i32_i32,
  pair_i16_i32,
  pair_f_long_i32,
  pair_f32_f32,
  pair_f64_f64
};

class datatype;
using datatype_ptr = std::shared_ptr<datatype>;

/// A recipe records the arguments that made a datatype, for MPI_Type_get_contents.
struct datatype_recipe {
  int combiner = 0;
  bool large = false;  ///< made by a function with large counts
  std::vector<int> integers{};
  std::vector<MPI_Aint> addresses{};
  std::vector<MPI_Count> counts{};  ///< the large counts
  std::vector<datatype_ptr> types{};
};

class datatype {
 public:
  /// A segment is a run of contiguous bytes at an offset from the start of the datatype.
  struct segment {
    std::ptrdiff_t offset;
    std::size_t bytes;
  };

  /// Makes a predefined datatype. In a pair, the second part begins at `second`.
  datatype(element of, std::vector<segment> parts, std::size_t extent, std::size_t alignment);
  /// Makes a datatype from blocks of other datatypes. Each block has `count` consecutive elements
  /// from its displacement on.
  struct block {
    datatype_ptr type;
    std::size_t count;
    std::ptrdiff_t displacement;  ///< in bytes
  };
  explicit datatype(std::span<const block> blocks);
  /// Returns this datatype with its extent rounded up to the strictest alignment of its elements,
  /// as a compiler pads a struct.
  datatype padded() const;

  /// Returns this datatype with other bounds, which a struct that contains it keeps without
  /// padding.
  datatype resized(std::ptrdiff_t lower, std::ptrdiff_t extent) const;

  std::size_t size() const noexcept { return size_; }
  std::ptrdiff_t lower() const noexcept { return lower_; }
  std::ptrdiff_t extent() const noexcept { return extent_; }
  std::ptrdiff_t true_lower() const noexcept { return true_lower_; }
  std::ptrdiff_t true_extent() const noexcept { return true_upper_ - true_lower_; }
  element kind() const noexcept { return kind_; }

  /// Returns whether any number of elements is one run of bytes that begins at the buffer.
  bool contiguous() const noexcept { return contiguous_; }
  /// Packs `count` elements into `packed`, which has count * size() bytes.
  void pack(const void* buffer, std::size_t count, std::byte* packed) const;
  /// Unpacks `packed` into the first elements of a buffer.
  void unpack(std::span<const std::byte> packed, void* buffer) const;

  const std::vector<segment>& segments() const noexcept { return segments_; }

  std::string name;
  attribute_list attributes;
  std::shared_ptr<const datatype_recipe> recipe;  ///< null for a predefined datatype
  /// Returns how many predefined elements fit completely into `bytes` bytes of this datatype, and
  /// leaves in `bytes` the number of bytes that remain.
  std::size_t take_elements(std::size_t& bytes) const;
  /// Returns the number of bytes in the first `elements` predefined elements.
  std::size_t bytes_of(std::size_t elements) const;
  /// A number is an element, or one of the two numbers of which an element consists.
  struct number {
    std::size_t bytes;
    element kind;
    std::uintptr_t base;  ///< handle of the element's predefined datatype
  };
  void add_numbers(std::vector<number>& all) const;
  bool committed = false;
  /// The number of handles that callers hold. Freeing the last one also deletes the attributes.
  struct handle_count {
    int number = 0;

    handle_count() = default;
    // A copy of a datatype has no handles yet.
    handle_count(const handle_count&) noexcept {}
    handle_count& operator=(const handle_count&) noexcept { return *this; }
  } handles;
  /// Handle of the predefined datatype of all elements; MPI_DATATYPE_NULL if they differ.
  std::uintptr_t base = datatype_null;

 private:
  datatype() = default;
  void add(segment one);
  void find_bounds();
  bool is_one_run() const noexcept;
  /// Returns the size of a pair's second number in bytes, or 0 if this is no pair.
  std::size_t second_of_pair() const noexcept;

  std::vector<block> blocks_;  ///< the arguments of the constructor; empty if predefined
  std::vector<segment> segments_;
  std::size_t size_ = 0, elements_ = 0;
  std::ptrdiff_t lower_ = 0, extent_ = 0, true_lower_ = 0, true_upper_ = 0;
  std::ptrdiff_t alignment_ = 1;
  element kind_ = element::none;
  bool contiguous_ = false;
};

/// Returns the predefined datatype of a handle, or null if the ABI has none with this value.
const datatype_ptr* predefined_datatype(MPI_Datatype handle);
/// Returns the datatype of a handle; throws mpi_error for MPI_DATATYPE_NULL and unknown values.
const datatype_ptr& datatype_of(MPI_Datatype handle);
MPI_Datatype new_handle(datatype_ptr type);
/// Frees a caller's handle. Freeing the last handle of a datatype also deletes the attributes.
void free_handle(MPI_Datatype handle);
/// Returns an object that keeps a handle valid after the caller has freed it, since functions of
/// the caller may be called with it later.
std::shared_ptr<const void> keep_handle(MPI_Datatype handle);
/// Returns the handle of a predefined datatype. For any other it returns a handle that the caller
/// frees.
MPI_Datatype handle_to(const datatype_ptr& type);

}  // namespace onehop::mpi_abi
