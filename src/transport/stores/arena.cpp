#include "transport/stores/arena.hpp"

#include <utility>

namespace onehop::stores {
namespace {

class part final : public arena {
 public:
  part(std::shared_ptr<arena> whole, std::size_t offset, std::size_t bytes)
      : whole_(std::move(whole)), offset_(offset), bytes_(bytes) {}

  std::string_view name() const noexcept override { return whole_->name(); }
  std::string_view place() const noexcept override { return whole_->place(); }
  std::string_view advice() const noexcept override { return whole_->advice(); }
  std::byte* base() const noexcept override { return whole_->base() + offset_; }
  std::size_t bytes() const noexcept override { return bytes_; }
  void reserve(std::size_t offset, std::size_t bytes) override {
    whole_->reserve(offset_ + offset, bytes);
  }
  void release(std::size_t offset, std::size_t bytes) noexcept override {
    whole_->release(offset_ + offset, bytes);
  }
  void probe(int) const override {}  // The whole knows all of its ranks, and more than these.

 private:
  std::shared_ptr<arena> whole_;
  std::size_t offset_, bytes_;
};

}  // namespace

arena::~arena() = default;

std::shared_ptr<arena> part_of(std::shared_ptr<arena> whole, std::size_t offset,
                               std::size_t bytes) {
  return std::make_shared<part>(std::move(whole), offset, bytes);
}

}  // namespace onehop::stores
