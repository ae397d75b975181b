#include "mpi/external.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {
namespace {

enum base_handle : std::uintptr_t {
  long_whole = 0x20a,
  long_natural = 0x20e,
  long_and_place = 0x22a,
  wide_character = 0x23c
};
__extension__ typedef __float128 quadruple;

/// A form describes a number's representation in memory and in external32.
struct form {
  std::size_t bytes, external;
  bool is_signed = false, is_long_double = false;
};

form form_of(const datatype::number& one) {
  const bool is_second = one.kind == element::none && one.base != wide_character;
  switch (is_second ? 0 : one.base) {
    case long_whole:
    case long_and_place:
      return {one.bytes, 4, true};
    case long_natural:
      return {one.bytes, 4};
    case wide_character:
      return {one.bytes, 2};
    default:
      break;
  }
  if (one.kind == element::f_long || one.kind == element::c_long ||
      one.kind == element::pair_f_long_i32)
    return {one.bytes, sizeof(quadruple), true, true};
  return {one.bytes, one.bytes};
}

std::vector<form> forms_of(const datatype& type) {
  std::vector<datatype::number> numbers;
  type.add_numbers(numbers);
  std::vector<form> all;
  for (const datatype::number& one : numbers) all.push_back(form_of(one));
  return all;
}

/// Returns whether a number keeps its value without its upper bytes. `number` has its lowest byte
/// first.
bool fits(const form& how, const std::byte* number) {
  const bool is_negative =
      how.is_signed && (number[how.external - 1] & std::byte{0x80}) != std::byte{0};
  const std::byte above = is_negative ? std::byte{0xff} : std::byte{0};
  return std::all_of(number + how.external, number + how.bytes,
                     [=](std::byte one) { return one == above; });
}

void put(const form& how, const std::byte* number, std::byte* external) {
  if (how.is_long_double) {
    long double value = 0;
    std::memcpy(&value, number, sizeof value);
    const quadruple wide = value;
    std::memcpy(external, &wide, sizeof wide);
  } else {
    if (how.external < how.bytes && !fits(how, number))
      throw mpi_error(err_conversion,
                      text("a number does not fit the ", how.external, " bytes of external32"));
    std::memcpy(external, number, how.external);
  }
  std::reverse(external, external + how.external);
}

void get(const form& how, const std::byte* external, std::byte* number) {
  std::byte turned[sizeof(quadruple)];
  std::reverse_copy(external, external + how.external, turned);
  if (how.is_long_double) {
    quadruple wide = 0;
    std::memcpy(&wide, turned, sizeof wide);
    const auto value = static_cast<long double>(wide);
    std::memcpy(number, &value, sizeof value);
    return;
  }
  std::memcpy(number, turned, how.external);
  const bool is_negative =
      how.is_signed && (turned[how.external - 1] & std::byte{0x80}) != std::byte{0};
  std::memset(number + how.external, is_negative ? 0xff : 0, how.bytes - how.external);
}

}  // namespace

void require_external(const char* representation) {
  if (std::string(representation) != "external32")
    throw mpi_error(err_arg, text("no data representation is ", representation));
}

std::size_t external_bytes(const datatype& type) {
  std::size_t bytes = 0;
  for (const form& how : forms_of(type)) bytes += how.external;
  return bytes;
}

void to_external(std::span<const std::byte> packed, const datatype& type, std::byte* external) {
  const std::vector<form> forms = forms_of(type);
  while (!packed.empty())
    for (const form& how : forms) {
      put(how, packed.data(), external);
      packed = packed.subspan(how.bytes);
      external += how.external;
    }
}

void from_external(const std::byte* external, const datatype& type, std::span<std::byte> packed) {
  const std::vector<form> forms = forms_of(type);
  while (!packed.empty())
    for (const form& how : forms) {
      get(how, external, packed.data());
      packed = packed.subspan(how.bytes);
      external += how.external;
    }
}

}  // namespace onehop::mpi_abi
