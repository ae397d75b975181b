#pragma once
/// Correlators are contracted from propagators of this size.

#include <onehop/error.hpp>
#include <onehop/geometry.hpp>

#include "base/text.hpp"

#include <cstddef>

namespace onehop {

/// Throws usage_error unless `size` is the size of a solution for each of `components` sources.
inline void require_propagator(const geometry& geometry, std::size_t size, int components) {
  const std::size_t wanted = geometry.local_volume() * components * components;
  if (size == wanted) return;
  throw usage_error(text("a propagator of ", size, " numbers was given; block ",
                         to_string(geometry.local()), " with ", components, " sources of ",
                         components, " components needs ", wanted));
}

}  // namespace onehop
