// The predefined operations, for each kind of element to which they apply.

#include <complex>
#include <cstring>
#include <type_traits>

#include "mpi/operation.hpp"

namespace onehop::mpi_abi {
namespace {

/// Elements in a caller's buffer may have any alignment.
template <class T, class Op>
void combine(const std::byte* in, std::byte* inout, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T left, right;
    std::memcpy(&left, in + i * sizeof(T), sizeof(T));
    std::memcpy(&right, inout + i * sizeof(T), sizeof(T));
    right = Op::of(left, right);
    std::memcpy(inout + i * sizeof(T), &right, sizeof(T));
  }
}

/// Signed numbers wrap around without undefined overflow.
template <class T, class Op>
T wrapped(T a, T b, Op op) {
  if constexpr (std::is_integral_v<T>) {
    // Short types would be promoted to int, whose product may overflow.
    using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(op(static_cast<wide>(a), static_cast<wide>(b)));
  } else {
    return op(a, b);
  }
}

struct sum_of {
  template <class T>
  static T of(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct product_of {
  template <class T>
  static T of(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct least_of {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct greatest_of {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct both_of {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a != T(0) && b != T(0));
  }
};
struct either_of {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a != T(0) || b != T(0));
  }
};
struct one_of {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != T(0)) != (b != T(0)));
  }
};
struct bits_and {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct bits_or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct bits_xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

/// Located values are compared by value. If the values are equal, the lower index is chosen.
template <class Value, class Place>
struct located {
  Value value;
  Place place;
};
struct least_located {
  template <class T>
  static T of(T a, T b) {
    if (a.value == b.value) return a.place <= b.place ? a : b;
    return a.value < b.value ? a : b;
  }
};
struct greatest_located {
  template <class T>
  static T of(T a, T b) {
    if (a.value == b.value) return a.place <= b.place ? a : b;
    return b.value < a.value ? a : b;
  }
};

template <class T>
combine_function logical(std::uintptr_t operation) {
  switch (operation) {
    case op_land:
      return combine<T, both_of>;
    case op_lor:
      return combine<T, either_of>;
    case op_lxor:
      return combine<T, one_of>;
    default:
      return nullptr;
  }
}

template <class T>
combine_function bitwise(std::uintptr_t operation) {
  switch (operation) {
    case op_band:
      return combine<T, bits_and>;
    case op_bor:
      return combine<T, bits_or>;
    case op_bxor:
      return combine<T, bits_xor>;
    default:
      return nullptr;
  }
}

template <class T>
combine_function sums(std::uintptr_t operation) {
  switch (operation) {
    case op_sum:
      return combine<T, sum_of>;
    case op_prod:
      return combine<T, product_of>;
    default:
      return nullptr;
  }
}

template <class T>
combine_function real(std::uintptr_t operation) {
  switch (operation) {
    case op_min:
      return combine<T, least_of>;
    case op_max:
      return combine<T, greatest_of>;
    default:
      return sums<T>(operation);
  }
}

template <class T>
combine_function whole(std::uintptr_t operation) {
  if (const combine_function found = real<T>(operation)) return found;
  if (const combine_function found = bitwise<T>(operation)) return found;
  return logical<T>(operation);
}

template <class T>
combine_function floating(std::uintptr_t operation) {
  const combine_function found = real<T>(operation);
  return found != nullptr ? found : logical<T>(operation);
}

template <class Value, class Place = int>
combine_function located_of(std::uintptr_t operation) {
  switch (operation) {
    case op_minloc:
      return combine<located<Value, Place>, least_located>;
    case op_maxloc:
      return combine<located<Value, Place>, greatest_located>;
    default:
      return nullptr;
  }
}

combine_function find_for_pair(std::uintptr_t operation, element kind) {
  switch (kind) {
    case element::pair_f32_i32:
      return located_of<float>(operation);
    case element::pair_f64_i32:
      return located_of<double>(operation);
    case element::pair_i64_i32:
      return located_of<long>(operation);
    case element::pair_i32_i32:
      return located_of<int>(operation);
    case element::pair_i16_i32:
      return located_of<short>(operation);
    case element::pair_f_long_i32:
      return located_of<long double>(operation);
    case element::pair_f32_f32:
      return located_of<float, float>(operation);
    case element::pair_f64_f64:
      return located_of<double, double>(operation);
    default:
      return nullptr;
  }
}

}  // namespace

combine_function find_combine(std::uintptr_t operation, element kind) {
  switch (kind) {
    case element::i8:
      return whole<std::int8_t>(operation);
    case element::i16:
      return whole<std::int16_t>(operation);
    case element::i32:
      return whole<std::int32_t>(operation);
    case element::i64:
      return whole<std::int64_t>(operation);
    case element::u8:
      return whole<std::uint8_t>(operation);
    case element::u16:
      return whole<std::uint16_t>(operation);
    case element::u32:
      return whole<std::uint32_t>(operation);
    case element::u64:
      return whole<std::uint64_t>(operation);
    case element::f32:
      return floating<float>(operation);
    case element::f64:
      return floating<double>(operation);
    case element::f_long:
      return floating<long double>(operation);
    case element::c32:
      return sums<std::complex<float>>(operation);
    case element::c64:
      return sums<std::complex<double>>(operation);
    case element::c_long:
      return sums<std::complex<long double>>(operation);
    case element::boolean:
      return logical<std::uint8_t>(operation);
    case element::logical32:
      return logical<std::int32_t>(operation);
    case element::byte:
      return bitwise<std::uint8_t>(operation);
    default:
      return find_for_pair(operation, kind);
  }
}

}  // namespace onehop::mpi_abi
