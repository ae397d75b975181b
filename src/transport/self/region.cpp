#include "transport/self/region.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>

#include "base/text.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::self {
namespace {

constexpr std::size_t smallest_arena = std::size_t{64} << 20;

/// A private_arena holds address space without memory; pages are made usable as they are reserved,
/// so that a window too large is refused at once.
class private_arena final : public stores::arena {
 public:
  explicit private_arena(std::size_t bytes) : bytes_(bytes) {
    // A limit on address space may allow less than the machine has, so smaller arenas are tried.
    while ((base_ = map()) == MAP_FAILED && bytes_ > smallest_arena) bytes_ /= 2;
    if (base_ == MAP_FAILED)
      throw resource_error(text("cannot map ", bytes_, " bytes: ", std::strerror(errno),
                                "; raise the limit on address space (ulimit -v)"));
  }
  ~private_arena() override { munmap(base_, bytes_); }

  std::string_view name() const noexcept override { return "self"; }
  std::string_view place() const noexcept override { return "of this machine's memory"; }
  std::string_view advice() const noexcept override {
    return "take a smaller problem or a machine with more memory";
  }
  std::byte* base() const noexcept override { return static_cast<std::byte*>(base_); }
  std::size_t bytes() const noexcept override { return bytes_; }

  void reserve(std::size_t offset, std::size_t bytes) override {
    if (mprotect(base() + offset, bytes, PROT_READ | PROT_WRITE) != 0)
      throw resource_error(text("no memory for a window of ", bytes,
                                " bytes: ", std::strerror(errno), "; take a smaller problem"));
  }
  void release(std::size_t offset, std::size_t bytes) noexcept override {
    // A new mapping gives the pages back; where the kernel has no room for it they stay reserved
    // until the end.
    mmap(base() + offset, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
  void probe(int) const override {}

 private:
  void* map() const { return mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

  std::size_t bytes_;
  void* base_ = nullptr;
};

}  // namespace

std::shared_ptr<stores::arena> make_arena() {
  auto arena = std::make_shared<private_arena>(inspect_machine().memory_bytes);
  arena->reserve(0, stores::control_block::bytes(1));
  stores::control_block::create(arena->base(), 1, arena->bytes());
  return arena;
}

}  // namespace onehop::self
