#pragma once
/// Lets Python functions take contiguous arrays where C++ functions take spans.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace nanobind::detail {

/// Keeps the array for as long as the call takes.
template <class T, class Array>
struct span_caster {
  NB_TYPE_CASTER(std::span<T>, make_caster<Array>::Name)
  bool from_python(handle from, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!array_.from_python(from, flags, cleanup)) return false;
    std::conditional_t<std::is_const_v<T>, const void*, void*> memory = array_.value.data();
    value = {static_cast<T*>(memory), array_.value.nbytes() / sizeof(T)};
    return true;
  }

 private:
  make_caster<Array> array_;
};

template <>
struct type_caster<std::span<std::byte>> : span_caster<std::byte, ndarray<c_contig, device::cpu>> {
};
template <>
struct type_caster<std::span<const std::byte>>
    : span_caster<const std::byte, ndarray<ro, c_contig, device::cpu>> {};
template <>
struct type_caster<std::span<double>>
    : span_caster<double, ndarray<double, ndim<1>, c_contig, device::cpu>> {};
template <>
struct type_caster<std::span<std::complex<double>>>
    : span_caster<std::complex<double>, ndarray<std::complex<double>, c_contig, device::cpu>> {};
template <>
struct type_caster<std::span<const std::complex<double>>>
    : span_caster<const std::complex<double>,
                  ndarray<const std::complex<double>, c_contig, device::cpu>> {};

}  // namespace nanobind::detail
