#pragma once
/// An arena supplies the memory of a transport whose targets are reached by stores. The members of
/// this family of transports differ only in their arena.

#include <cstddef>
#include <memory>
#include <string_view>

namespace onehop::stores {

/// This advice is given if an arena is smaller than the memory for which it is meant.
inline constexpr std::string_view limited_advice =
    "take a smaller problem, or raise the limit on address space (ulimit -v)";

/// An arena is one range of address space, the same memory for all ranks, and begins with a control
/// block.
class arena {
 public:
  virtual ~arena();

  virtual std::string_view name() const noexcept = 0;
  /// These parts of messages say where the bytes come from and how to get more: "... bytes PLACE
  /// are free".
  virtual std::string_view place() const noexcept = 0;
  virtual std::string_view advice() const noexcept = 0;
  virtual std::byte* base() const noexcept = 0;
  virtual std::size_t bytes() const noexcept = 0;
  /// Makes this page-aligned part usable and zero. If the machine has no room, throws
  /// resource_error and has changed nothing.
  virtual void reserve(std::size_t offset, std::size_t bytes) = 0;
  virtual void release(std::size_t offset, std::size_t bytes) noexcept = 0;
  /// Throws peer_error when a rank other than `rank` died.
  virtual void probe(int rank) const = 0;
};

/// Returns a range of another arena for one group, which begins with a control block of its own.
std::shared_ptr<arena> part_of(std::shared_ptr<arena> whole, std::size_t offset, std::size_t bytes);

}  // namespace onehop::stores
