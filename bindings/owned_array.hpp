#pragma once
/// Makes NumPy arrays from C++ results; Python then owns their memory.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/// Returns an Array of these values: one row of numbers, or one row for each value that consists of
/// several numbers.
template <class Array, class Value>
Array owned_array(std::vector<Value>&& values) {
  constexpr std::size_t numbers = sizeof(Value) / sizeof(typename Array::Scalar);
  auto kept = std::make_unique<std::vector<Value>>(std::move(values));
  Value* const first = kept->data();
  const std::size_t count = kept->size();
  const nanobind::capsule owner(
      kept.release(), [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  if constexpr (numbers == 1)
    return Array(first, {count}, owner);
  else
    return Array(first, {count, numbers}, owner);
}

using column = nanobind::ndarray<nanobind::numpy, std::int64_t, nanobind::ndim<1>>;

inline column to_column(std::vector<std::int64_t> values) {
  return owned_array<column>(std::move(values));
}
