#include "transport/shm/region.hpp"

#include <unistd.h>

#include <onehop/launch.hpp>
#include <onehop/machine.hpp>

#include "transport/shm/progress.hpp"
#include "transport/shm/segment.hpp"

namespace onehop::shm {
namespace {

class shared_arena final : public stores::arena {
 public:
  shared_arena(int segment_fd, maker made_by) : mapping_(segment_fd), made_by_(made_by) {}

  std::string_view name() const noexcept override { return "shm"; }
  std::string_view place() const noexcept override { return "of addresses in /dev/shm"; }
  std::string_view advice() const noexcept override {
    return bytes() < inspect_machine().shm_bytes ? stores::limited_advice : space_advice;
  }
  std::byte* base() const noexcept override { return mapping_.base(); }
  std::size_t bytes() const noexcept override { return mapping_.bytes(); }
  void reserve(std::size_t offset, std::size_t bytes) override {
    reserve_pages(mapping_.fd(), offset, bytes);
  }
  void release(std::size_t offset, std::size_t bytes) noexcept override {
    release_pages(mapping_.fd(), offset, bytes);
  }
  void probe(int rank) const override {
    check_processes(mapping_.control(), rank);
    if (made_by_ == maker::launcher) check_launcher(mapping_.control());
  }

 private:
  segment_mapping mapping_;
  maker made_by_;
};

}  // namespace

std::shared_ptr<stores::arena> map_arena(int segment_fd, maker made_by) {
  return std::make_shared<shared_arena>(segment_fd, made_by);
}

std::shared_ptr<stores::arena> make_arena(int ranks) {
  const int segment_fd = onehop::create_segment(ranks);
  try {
    auto arena = map_arena(segment_fd);
    close(segment_fd);
    return arena;
  } catch (...) {
    close(segment_fd);
    throw;
  }
}

}  // namespace onehop::shm
