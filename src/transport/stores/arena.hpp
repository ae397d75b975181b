#pragma once
/// An arena is where a transport whose targets are reached by stores gets its memory: the only
/// thing in which the members of this family differ.

#include <cstddef>
#include <memory>
#include <string_view>

namespace onehop::stores {

/// The advice of an arena that is smaller than the memory it is for.
inline constexpr std::string_view limited_advice =
    "take a smaller problem, or raise the limit on address space (ulimit -v)";

/// An arena is one range of address space, the same memory for all ranks, that begins with a
/// control block.
class arena {
 public:
  virtual ~arena();

  virtual std::string_view name() const noexcept = 0;
  /// These say in messages where the bytes come from and how to get more: "... bytes PLACE are
  /// free".
  virtual std::string_view place() const noexcept = 0;
  virtual std::string_view advice() const noexcept = 0;
  virtual std::byte* base() const noexcept = 0;
  virtual std::size_t bytes() const noexcept = 0;
  /// Makes this page-aligned part usable and zero. Throws resource_error where the machine has no
  /// room and has then changed nothing.
  virtual void reserve(std::size_t offset, std::size_t bytes) = 0;
  virtual void release(std::size_t offset, std::size_t bytes) noexcept = 0;
  /// Throws peer_error when a rank other than `rank` died.
  virtual void probe(int rank) const = 0;
};

/// A range of another arena that a group has for itself, from a control block of its own on.
std::shared_ptr<arena> part_of(std::shared_ptr<arena> whole, std::size_t offset, std::size_t bytes);

}  // namespace onehop::stores
