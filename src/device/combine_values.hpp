#pragma once
/// This kernel combines values of several ranks in the order of the ranks: thread i computes value
/// i.

#include "device/driver/combine_job.hpp"
#include "device/inline.hpp"
#include "rma/reduction_ops.hpp"

namespace onehop::device {

template <class T, class Op>
struct combine_values {
  combine_job job;

  ONEHOP_INLINE void operator()(std::uint32_t i) const {
    T value = reinterpret_cast<const T*>(job.from[0])[i];
    ONEHOP_UNROLL
    for (std::int32_t source = 1; source < combine_job::most_sources; ++source) {
      if (source == job.sources) break;
      value = Op()(value, reinterpret_cast<const T*>(job.from[source])[i]);
    }
    reinterpret_cast<T*>(job.into)[i] = value;
  }
};

/// Calls `run` with the kernel for the values of `job`.
template <class Run>
void with_combining(const combine_job& job, Run&& run) {
  const auto of_type = [&]<class T>(T) {
    with_operation<T, bool>(static_cast<reduction>(job.kind), [&]<class Op>(Op) {
      run(combine_values<T, Op>{job});
      return true;
    });
  };
  switch (static_cast<number_type>(job.type)) {
    case number_type::int32:
      return of_type(std::int32_t());
    case number_type::uint32:
      return of_type(std::uint32_t());
    case number_type::int64:
      return of_type(std::int64_t());
    case number_type::uint64:
      return of_type(std::uint64_t());
    case number_type::float32:
      return of_type(float());
    case number_type::float64:
      return of_type(double());
    case number_type::other:
      return;
  }
}

}  // namespace onehop::device
