#include "transport/self/region.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>

#include "base/text.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::self {
namespace {

constexpr std::size_t smallest_arena = std::size_t{64} << 20;

/// A private_arena holds address space without memory. Pages are made usable when they are
/// reserved, so that a window that is too large is refused at once.
class private_arena final : public stores::arena {
 public:
  explicit private_arena(std::size_t bytes) : bytes_(bytes) {
    // A limit on address space may allow less than the machine has. An arena takes at most half of
    // the limit, because the process needs addresses for the rest of its work.
    while (bytes_ > smallest_arena && !can_map(2 * bytes_)) bytes_ /= 2;
    base_ = map(bytes_);
    if (base_ == MAP_FAILED)
      throw resource_error(text("cannot map ", bytes_, " bytes: ", std::strerror(errno),
                                "; raise the limit on address space (ulimit -v)"));
  }
  ~private_arena() override { munmap(base_, bytes_); }

  std::string_view name() const noexcept override { return "self"; }
  std::string_view place() const noexcept override { return "of this machine's memory"; }
  std::string_view advice() const noexcept override {
    return bytes() < inspect_machine().memory_bytes
               ? stores::limited_advice
               : "take a smaller problem or a machine with more memory";
  }
  std::byte* base() const noexcept override { return static_cast<std::byte*>(base_); }
  std::size_t bytes() const noexcept override { return bytes_; }

  void reserve(std::size_t offset, std::size_t bytes) override {
    // Windows begin at pages of 4 KiB, but the system's pages may be larger.
    const std::size_t begin = offset / page_ * page_;
    if (mprotect(base() + begin, offset + bytes - begin, PROT_READ | PROT_WRITE) != 0)
      throw resource_error(text("no memory for a window of ", bytes,
                                " bytes: ", std::strerror(errno), "; take a smaller problem"));
  }
  void release(std::size_t offset, std::size_t bytes) noexcept override {
    // A new mapping returns whole pages to the system. The rest, which may share pages with other
    // windows, is only zeroed; so is everything if the kernel cannot hold another mapping.
    const std::size_t begin = std::min((offset + page_ - 1) / page_ * page_, offset + bytes);
    const std::size_t end = std::max((offset + bytes) / page_ * page_, begin);
    const bool mapped =
        begin == end || mmap(base() + begin, end - begin, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    std::memset(base() + offset, 0, begin - offset);
    if (!mapped) std::memset(base() + begin, 0, end - begin);
    std::memset(base() + end, 0, offset + bytes - end);
  }
  void probe(int) const override {}

 private:
  static void* map(std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  static bool can_map(std::size_t bytes) {
    void* const found = map(bytes);
    if (found != MAP_FAILED) munmap(found, bytes);
    return found != MAP_FAILED;
  }

  std::size_t bytes_;
  std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* base_ = nullptr;
};

}  // namespace

std::shared_ptr<stores::arena> make_arena() {
  constexpr std::size_t ring_bytes = stores::usual_ring_bytes;
  auto arena = std::make_shared<private_arena>(inspect_machine().memory_bytes);
  arena->reserve(0, stores::control_block::bytes(1, ring_bytes));
  stores::control_block::create(arena->base(), 1, arena->bytes(), ring_bytes);
  return arena;
}

}  // namespace onehop::self
