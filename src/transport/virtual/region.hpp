#pragma once
/// The ranks of a virtual machine expose this memory to each other.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "transport/base/transport.hpp"

namespace onehop::virtual_machine {

/// Every rank makes the same calls in the same order.
class exposed_shares {
 public:
  explicit exposed_shares(int ranks) : owners_(static_cast<std::size_t>(ranks)) {}

  memory_id expose(int rank, std::size_t bytes);
  void withdraw(memory_id id, int rank) noexcept;
  std::span<std::byte> share(memory_id id, int rank) const;

 private:
  /// These are pages of the system: zeroed, aligned, there when touched.
  class pages {
   public:
    explicit pages(std::size_t bytes);
    ~pages();
    pages(pages&& other) noexcept;
    pages& operator=(pages&& other) noexcept;
    std::span<std::byte> bytes() const noexcept { return bytes_; }

   private:
    std::span<std::byte> bytes_;
  };

  std::vector<std::vector<pages>> owners_;  ///< pages by rank and id
};

}  // namespace onehop::virtual_machine
