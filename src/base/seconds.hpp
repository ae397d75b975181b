#pragma once
#include <chrono>

namespace onehop {

inline double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace onehop
