#include <algorithm>
#include <onehop/put_chain.hpp>
#include <vector>

#include "benchmarks/make.hpp"
#include "benchmarks/touch.hpp"

namespace onehop::bench {
namespace {

/// These are the neighbours of a rank, at most as many as a site has in three dimensions.
constexpr int most_neighbours = 26;

/// In a step every rank clears its chain, describes it anew with its puts, which go to its
/// neighbours in turns, and commits it. The commit allocates memory.
class commit_contender final : public contender {
 public:
  commit_contender(const context& ctx, std::size_t bytes, std::size_t puts)
      : ctx_(ctx),
        bytes_(bytes),
        puts_(puts),
        stride_((bytes + 63) / 64 * 64),
        source_(puts * bytes),
        arrivals_(puts),
        window_(window::allocate(ctx, puts * stride_)),
        chain_(ctx, window_) {
    commit_anew();
  }

  std::string name() const override { return "onehop"; }
  std::size_t bytes() const override { return puts_ * bytes_; }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) commit_anew();
  }
  /// Each chain exchanges its bytes, which are then compared.
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) {
      commit_anew();
      ++step_;
      for (std::size_t put = 0; put < puts_; ++put)
        fill(std::span(source_).subspan(put * bytes_, bytes_), seed_of(step_, put, ctx_.rank()));
      chain_.start();
      chain_.wait();
      for (std::size_t put = 0; put < puts_; ++put)
        wrong_ += count_wrong(chain_.arrived(arrivals_[put]),
                              seed_of(step_, put, at_distance(-distance_of(put))));
    }
  }

 private:
  void commit_anew() {
    chain_.clear();
    for (std::size_t put = 0; put < puts_; ++put) {
      const int distance = distance_of(put);
      chain_.push({local_view::contiguous(std::span(source_).subspan(put * bytes_, bytes_)),
                   at_distance(distance), put * stride_});
      arrivals_[put] = chain_.add_origin(at_distance(-distance));
    }
    chain_.commit();
  }
  /// Returns how far up or down in the ring of the ranks a put goes: 1, -1, 2, -2, ...
  int distance_of(std::size_t put) const {
    const int neighbours = std::clamp(ctx_.size() - 1, 1, most_neighbours);
    const int turn = static_cast<int>(put) % neighbours, far = turn / 2 + 1;
    return turn % 2 == 0 ? far : -far;
  }
  int at_distance(int distance) const {
    return ((ctx_.rank() + distance) % ctx_.size() + ctx_.size()) % ctx_.size();
  }

  context ctx_;
  std::size_t bytes_, puts_, stride_;
  std::vector<std::byte> source_;
  std::vector<notification> arrivals_;
  window window_;
  put_chain chain_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_commit(const context& ctx, const cell& what) {
  return std::make_unique<commit_contender>(ctx, what.bytes(),
                                            std::max<std::size_t>(1, what.messages));
}

}  // namespace onehop::bench
