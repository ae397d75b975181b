#pragma once
/// Makes a NumPy array from numbers of C++, which it owns.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

using column = nanobind::ndarray<nanobind::numpy, std::int64_t, nanobind::ndim<1>>;

inline column to_column(const std::vector<std::int64_t>& values) {
  auto* kept = new std::vector<std::int64_t>(values);
  const nanobind::capsule owner(
      kept, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  return column(kept->data(), {kept->size()}, owner);
}
