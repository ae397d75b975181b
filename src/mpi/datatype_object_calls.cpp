// The functions of the ABI that duplicate, name and free datatypes, and tell how they were made.

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {
namespace {

const datatype_recipe& recipe_of(const datatype& type) {
  if (!type.recipe) throw mpi_error(err_type, "a predefined datatype has no contents");
  return *type.recipe;
}

template <class T, class Room>
void give_list(const std::vector<T>& list, Room room, T* to) {
  if (static_cast<std::ptrdiff_t>(room) < std::ssize(list))
    throw mpi_error(err_arg, text("there is room for ", room, " of ", list.size(), " values"));
  std::ranges::copy(list, to);
}

template <class Room>
void give_types(const std::vector<datatype_ptr>& list, Room room, MPI_Datatype* to) {
  if (static_cast<std::ptrdiff_t>(room) < std::ssize(list))
    throw mpi_error(err_arg, text("there is room for ", room, " of ", list.size(), " datatypes"));
  for (const datatype_ptr& one : list) *to++ = handle_to(one);
}

/// The datatypes of a type class, by size.
struct sized_type {
  int number_class, bytes;
  std::uintptr_t handle;
};
constexpr sized_type sized_types[] = {
    {class_logical, 1, 0x2c0},  {class_logical, 2, 0x2c8},  {class_logical, 4, 0x2d0},
    {class_logical, 8, 0x2d8},  {class_logical, 16, 0x2e0}, {class_integer, 1, 0x2c1},
    {class_integer, 2, 0x2c9},  {class_integer, 4, 0x2d1},  {class_integer, 8, 0x2d9},
    {class_integer, 16, 0x2e1}, {class_real, 2, 0x2ca},     {class_real, 4, 0x2d2},
    {class_real, 8, 0x2da},     {class_real, 16, 0x2e2},    {class_complex, 4, 0x2d3},
    {class_complex, 8, 0x2db},  {class_complex, 16, 0x2e3}, {class_complex, 32, 0x2eb},
};

MPI_Datatype match(int number_class, int bytes) {
  for (const sized_type& one : sized_types)
    if (one.number_class == number_class && one.bytes == bytes)
      return fixed<MPI_Datatype>(one.handle);
  throw mpi_error(err_arg, text("no number of class ", number_class, " has ", bytes, " bytes"));
}

/// The predefined datatypes of a value and an index, by the datatypes of both.
struct pair_type {
  std::uintptr_t value, place, handle;
};
constexpr pair_type pair_types[] = {
    {0x210, 0x209, 0x228}, {0x214, 0x209, 0x229}, {0x20a, 0x209, 0x22a},
    {0x209, 0x209, 0x22b}, {0x208, 0x209, 0x22c}, {0x220, 0x209, 0x22d},
    {0x21a, 0x21a, 0x230}, {0x21c, 0x21c, 0x231}, {0x219, 0x219, 0x232},
};

MPI_Datatype pair_of(MPI_Datatype value, MPI_Datatype place) {
  for (const MPI_Datatype one : {value, place}) datatype_of(one);
  for (const pair_type& one : pair_types)
    if (one.value == number_of(value) && one.place == number_of(place))
      return fixed<MPI_Datatype>(one.handle);
  return fixed<MPI_Datatype>(datatype_null);
}

void give_fortran_type(MPI_Datatype* made, int number_class, int bytes,
                       const datatype_recipe& from) {
  auto type = std::make_shared<datatype>(*datatype_of(match(number_class, bytes)));
  type->recipe = std::make_shared<datatype_recipe>(from);
  type->attributes = {};
  *made = new_handle(std::move(type));
}

/// Returns the bytes of a Fortran real with this many decimal digits and this exponent range.
int real_bytes(int digits, int range) {
  if ((digits == undefined || digits <= 6) && (range == undefined || range <= 37)) return 4;
  if ((digits == undefined || digits <= 15) && (range == undefined || range <= 307)) return 8;
  if ((digits == undefined || digits <= 33) && (range == undefined || range <= 4931)) return 16;
  throw mpi_error(err_arg, "no Fortran number is so exact or so large");
}
int integer_bytes(int digits) {
  for (const auto& [most, bytes] : {std::pair{2, 1}, {4, 2}, {9, 4}, {18, 8}})
    if (digits <= most) return bytes;
  throw mpi_error(err_arg, "no Fortran number has so many digits");
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    *made = fixed<MPI_Datatype>(datatype_null);
    const datatype_ptr& from = datatype_of(old);
    auto type = std::make_shared<datatype>(*from);
    type->recipe = std::make_shared<datatype_recipe>(
        datatype_recipe{.combiner = combiner_dup, .types = {from}});
    type->name.clear();
    type->attributes = from->attributes.copied(old);
    *made = new_handle(std::move(type));
  });
}

int MPI_Type_commit(MPI_Datatype* type) {
  return guarded({__func__, type}, [&] { datatype_of(*type)->committed = true; });
}

int MPI_Type_free(MPI_Datatype* type) {
  return guarded({__func__, type}, [&] {
    free_handle(*type);
    *type = fixed<MPI_Datatype>(datatype_null);
  });
}

int MPI_Type_set_name(MPI_Datatype type, const char* name) {
  return guarded({__func__, name}, [&] { datatype_of(type)->name = name; });
}
int MPI_Type_get_name(MPI_Datatype type, char* name, int* length) {
  return guarded({__func__, name, length}, [&] {
    if (number_of(type) == datatype_null)
      give_words("MPI_DATATYPE_NULL", name, length, most_object_name);
    else
      give_words(datatype_of(type)->name, name, length, most_object_name);
  });
}

int MPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                          int* combiner) {
  return guarded({__func__, integers, addresses, types, combiner}, [&] {
    const datatype_recipe none{.combiner = combiner_named};
    const datatype& of = *datatype_of(type);
    const datatype_recipe& from = of.recipe ? *of.recipe : none;
    if (!from.counts.empty()) throw mpi_error(err_type, "the datatype was made with large counts");
    *integers = static_cast<int>(from.integers.size());
    *addresses = static_cast<int>(from.addresses.size());
    *types = static_cast<int>(from.types.size());
    *combiner = from.combiner;
  });
}
int MPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                            MPI_Count* counts, MPI_Count* types, int* combiner) {
  return guarded({__func__, integers, addresses, counts, types, combiner}, [&] {
    const datatype_recipe none{.combiner = combiner_named};
    const datatype& of = *datatype_of(type);
    const datatype_recipe& from = of.recipe ? *of.recipe : none;
    *integers = std::ssize(from.integers);
    *addresses = std::ssize(from.addresses);
    *counts = std::ssize(from.counts);
    *types = std::ssize(from.types);
    *combiner = from.combiner;
  });
}

int MPI_Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types,
                          int* integers, MPI_Aint* addresses, MPI_Datatype* types) {
  return guarded({__func__, list_of{integers, most_integers}, list_of{addresses, most_addresses},
                  list_of{types, most_types}},
                 [&] {
                   const datatype_recipe& from = recipe_of(*datatype_of(type));
                   if (!from.counts.empty())
                     throw mpi_error(err_type, "the datatype was made with large counts");
                   give_list(from.integers, most_integers, integers);
                   give_list(from.addresses, most_addresses, addresses);
                   give_types(from.types, most_types, types);
                 });
}
int MPI_Type_get_contents_c(MPI_Datatype type, MPI_Count most_integers, MPI_Count most_addresses,
                            MPI_Count most_counts, MPI_Count most_types, int* integers,
                            MPI_Aint* addresses, MPI_Count* counts, MPI_Datatype* types) {
  return guarded({__func__, list_of{integers, most_integers}, list_of{addresses, most_addresses},
                  list_of{counts, most_counts}, list_of{types, most_types}},
                 [&] {
                   const datatype_recipe& from = recipe_of(*datatype_of(type));
                   give_list(from.integers, most_integers, integers);
                   give_list(from.addresses, most_addresses, addresses);
                   give_list(from.counts, most_counts, counts);
                   give_types(from.types, most_types, types);
                 });
}

int MPI_Type_match_size(int number_class, int bytes, MPI_Datatype* type) {
  return guarded({__func__, type}, [&] { *type = match(number_class, bytes); });
}

int MPI_Type_get_value_index(MPI_Datatype value, MPI_Datatype place, MPI_Datatype* pair) {
  return guarded({__func__, pair}, [&] { *pair = pair_of(value, place); });
}

int MPI_Type_create_f90_integer(int digits, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    give_fortran_type(made, class_integer, integer_bytes(digits),
                      {.combiner = combiner_f90_integer, .integers = {digits}});
  });
}
int MPI_Type_create_f90_real(int digits, int range, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    give_fortran_type(made, class_real, real_bytes(digits, range),
                      {.combiner = combiner_f90_real, .integers = {digits, range}});
  });
}
int MPI_Type_create_f90_complex(int digits, int range, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    give_fortran_type(made, class_complex, 2 * real_bytes(digits, range),
                      {.combiner = combiner_f90_complex, .integers = {digits, range}});
  });
}

// These functions are older than the functions with large counts.
int MPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
  return guarded({__func__, size},
                 [&] { *size = static_cast<MPI_Count>(datatype_of(type)->size()); });
}
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count* lower, MPI_Count* extent) {
  return guarded({__func__, lower, extent}, [&] {
    *lower = datatype_of(type)->lower();
    *extent = datatype_of(type)->extent();
  });
}
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count* lower, MPI_Count* extent) {
  return guarded({__func__, lower, extent}, [&] {
    *lower = datatype_of(type)->true_lower();
    *extent = datatype_of(type)->true_extent();
  });
}
}
