#pragma once
/// A common_page is a page that all ranks of one machine see, whatever their transport.

#include <cstddef>
#include <onehop/context.hpp>

namespace onehop::bench {

class common_page {
 public:
  /// The constructor is collective; the page is zeroed.
  explicit common_page(const context& ctx);
  ~common_page();
  common_page(const common_page&) = delete;
  common_page& operator=(const common_page&) = delete;

  /// Returns null on all ranks if some are on another machine or may not access each other's
  /// memory.
  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
};

}  // namespace onehop::bench
