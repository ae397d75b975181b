#pragma once
/// An aligned_array stores numbers in memory that is aligned for vector loads.

#include "large_pages.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace app_common {

/// The numbers are zero at first; the array begins at the start of a page.
template <class Real>
class aligned_array {
 public:
  explicit aligned_array(std::ptrdiff_t size)
      : data_(static_cast<Real*>(
            ::operator new[](static_cast<std::size_t>(size) * sizeof(Real), alignment))) {
    advise_large_pages(data_.get(), static_cast<std::size_t>(size) * sizeof(Real));
    std::fill_n(data_.get(), size, Real{0});
  }
  Real* data() const noexcept { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{4096};
  struct release {
    void operator()(Real* memory) const noexcept { ::operator delete[](memory, alignment); }
  };
  std::unique_ptr<Real[], release> data_;
};

}  // namespace app_common
