#include <array>
#include <cwchar>
#include <utility>

#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {
namespace {

/// The handles of predefined datatypes are in this range.
constexpr std::uintptr_t first_handle = 0x200, end_handle = 0x300;
using datatype_table = std::array<datatype_ptr, end_handle - first_handle>;

struct plain {
  std::uintptr_t handle;
  std::size_t bytes;
  element kind;
  const char* name;
};

constexpr element whole(std::size_t bytes) {
  return bytes == 1   ? element::i8
         : bytes == 2 ? element::i16
         : bytes == 4 ? element::i32
                      : element::i64;
}
constexpr element natural(std::size_t bytes) {
  return bytes == 1   ? element::u8
         : bytes == 2 ? element::u16
         : bytes == 4 ? element::u32
                      : element::u64;
}
constexpr std::size_t long_bytes = sizeof(long double);

constexpr plain plain_types[] = {
    {0x201, sizeof(MPI_Aint), element::i64, "MPI_AINT"},
    {0x202, sizeof(MPI_Count), element::i64, "MPI_COUNT"},
    {0x203, sizeof(MPI_Offset), element::i64, "MPI_OFFSET"},
    {0x207, 1, element::byte, "MPI_PACKED"},
    {0x208, sizeof(short), whole(sizeof(short)), "MPI_SHORT"},
    {0x209, sizeof(int), whole(sizeof(int)), "MPI_INT"},
    {0x20a, sizeof(long), whole(sizeof(long)), "MPI_LONG"},
    {0x20b, sizeof(long long), whole(sizeof(long long)), "MPI_LONG_LONG_INT"},
    {0x20c, sizeof(short), natural(sizeof(short)), "MPI_UNSIGNED_SHORT"},
    {0x20d, sizeof(int), natural(sizeof(int)), "MPI_UNSIGNED"},
    {0x20e, sizeof(long), natural(sizeof(long)), "MPI_UNSIGNED_LONG"},
    {0x20f, sizeof(long long), natural(sizeof(long long)), "MPI_UNSIGNED_LONG_LONG"},
    {0x210, sizeof(float), element::f32, "MPI_FLOAT"},
    {0x212, 2 * sizeof(float), element::c32, "MPI_C_COMPLEX"},
    {0x213, 2 * sizeof(float), element::c32, "MPI_CXX_FLOAT_COMPLEX"},
    {0x214, sizeof(double), element::f64, "MPI_DOUBLE"},
    {0x216, 2 * sizeof(double), element::c64, "MPI_C_DOUBLE_COMPLEX"},
    {0x217, 2 * sizeof(double), element::c64, "MPI_CXX_DOUBLE_COMPLEX"},
    {0x218, 4, element::logical32, "MPI_LOGICAL"},
    {0x219, 4, element::i32, "MPI_INTEGER"},
    {0x21a, 4, element::f32, "MPI_REAL"},
    {0x21b, 8, element::c32, "MPI_COMPLEX"},
    {0x21c, 8, element::f64, "MPI_DOUBLE_PRECISION"},
    {0x21d, 16, element::c64, "MPI_DOUBLE_COMPLEX"},
    {0x21e, 1, element::i8, "MPI_CHARACTER"},
    {0x220, long_bytes, element::f_long, "MPI_LONG_DOUBLE"},
    {0x224, 2 * long_bytes, element::c_long, "MPI_C_LONG_DOUBLE_COMPLEX"},
    {0x225, 2 * long_bytes, element::c_long, "MPI_CXX_LONG_DOUBLE_COMPLEX"},
    {0x238, sizeof(bool), element::boolean, "MPI_C_BOOL"},
    {0x239, sizeof(bool), element::boolean, "MPI_CXX_BOOL"},
    {0x23c, sizeof(wchar_t), element::none, "MPI_WCHAR"},
    {0x240, 1, element::i8, "MPI_INT8_T"},
    {0x241, 1, element::u8, "MPI_UINT8_T"},
    {0x243, 1, element::i8, "MPI_CHAR"},
    {0x244, 1, element::i8, "MPI_SIGNED_CHAR"},
    {0x245, 1, element::u8, "MPI_UNSIGNED_CHAR"},
    {0x247, 1, element::byte, "MPI_BYTE"},
    {0x248, 2, element::i16, "MPI_INT16_T"},
    {0x249, 2, element::u16, "MPI_UINT16_T"},
    {0x250, 4, element::i32, "MPI_INT32_T"},
    {0x251, 4, element::u32, "MPI_UINT32_T"},
    {0x258, 8, element::i64, "MPI_INT64_T"},
    {0x259, 8, element::u64, "MPI_UINT64_T"},
    {0x2c0, 1, element::none, "MPI_LOGICAL1"},
    {0x2c1, 1, element::i8, "MPI_INTEGER1"},
    {0x2c8, 2, element::none, "MPI_LOGICAL2"},
    {0x2c9, 2, element::i16, "MPI_INTEGER2"},
    {0x2ca, 2, element::none, "MPI_REAL2"},
    {0x2d0, 4, element::logical32, "MPI_LOGICAL4"},
    {0x2d1, 4, element::i32, "MPI_INTEGER4"},
    {0x2d2, 4, element::f32, "MPI_REAL4"},
    {0x2d3, 4, element::none, "MPI_COMPLEX4"},
    {0x2d8, 8, element::none, "MPI_LOGICAL8"},
    {0x2d9, 8, element::i64, "MPI_INTEGER8"},
    {0x2da, 8, element::f64, "MPI_REAL8"},
    {0x2db, 8, element::c32, "MPI_COMPLEX8"},
    {0x2e0, 16, element::none, "MPI_LOGICAL16"},
    {0x2e1, 16, element::none, "MPI_INTEGER16"},
    {0x2e2, 16, element::none, "MPI_REAL16"},
    {0x2e3, 16, element::c64, "MPI_COMPLEX16"},
    {0x2eb, 32, element::none, "MPI_COMPLEX32"},
};

/// A complex number has the alignment of its parts.
constexpr std::size_t alignment_of(const plain& one) {
  const bool two = one.kind == element::c32 || one.kind == element::c64 ||
                   one.kind == element::c_long || one.bytes > long_bytes;
  return two ? one.bytes / 2 : one.bytes;
}

/// A value_and_place has the memory layout that the compiler gives to a struct of both.
template <class First, class Second>
struct value_and_place {
  First first;
  Second second;
};

template <class First, class Second>
void add_pair(datatype_table& table, std::uintptr_t handle, element kind, const char* name) {
  using both = value_and_place<First, Second>;
  table[handle - first_handle] = std::make_shared<datatype>(
      kind,
      std::vector<datatype::segment>{
          {0, sizeof(First)},
          {static_cast<std::ptrdiff_t>(offsetof(both, second)), sizeof(Second)}},
      sizeof(both), alignof(both));
  table[handle - first_handle]->name = name;
}

datatype_table make_datatypes() {
  datatype_table table;
  for (const plain& one : plain_types) {
    datatype_ptr& made = table[one.handle - first_handle];
    made = std::make_shared<datatype>(one.kind, std::vector<datatype::segment>{{0, one.bytes}},
                                      one.bytes, alignment_of(one));
    made->name = one.name;
  }
  add_pair<float, int>(table, 0x228, element::pair_f32_i32, "MPI_FLOAT_INT");
  add_pair<double, int>(table, 0x229, element::pair_f64_i32, "MPI_DOUBLE_INT");
  add_pair<long, int>(table, 0x22a, element::pair_i64_i32, "MPI_LONG_INT");
  add_pair<int, int>(table, 0x22b, element::pair_i32_i32, "MPI_2INT");
  add_pair<short, int>(table, 0x22c, element::pair_i16_i32, "MPI_SHORT_INT");
  add_pair<long double, int>(table, 0x22d, element::pair_f_long_i32, "MPI_LONG_DOUBLE_INT");
  add_pair<float, float>(table, 0x230, element::pair_f32_f32, "MPI_2REAL");
  add_pair<double, double>(table, 0x231, element::pair_f64_f64, "MPI_2DOUBLE_PRECISION");
  add_pair<int, int>(table, 0x232, element::pair_i32_i32, "MPI_2INTEGER");
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i]) table[i]->base = first_handle + i;
  return table;
}

}  // namespace

const datatype_ptr* predefined_datatype(MPI_Datatype handle) {
  static const datatype_table& table = *new datatype_table(make_datatypes());
  const std::uintptr_t number = number_of(handle);
  if (number < first_handle || number >= end_handle) return nullptr;
  const datatype_ptr& found = table[number - first_handle];
  return found ? &found : nullptr;
}

}  // namespace onehop::mpi_abi
