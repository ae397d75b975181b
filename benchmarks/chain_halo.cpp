#include "benchmarks/make.hpp"
#include "benchmarks/touched_halo.hpp"
#include "measure/rotation.hpp"
#include "rma/halo/face_chain.hpp"
#include "transport/base/transport.hpp"

namespace onehop::bench {
namespace {

/// The exchange by the chain of faces that every halo exchange uses, on `channels` of them that are
/// in flight at the same time; the faces are repeated on each.
class chain_halo {
 public:
  chain_halo(const context& ctx, const cell& what)
      : faces_{ctx.rank(), ctx.size(), what.face_bytes},
        all_(faces_),
        name_(what.channel.empty() ? "onehop" : "onehop " + what.channel),
        packed_(what.packed),
        window_(window::allocate(ctx, faces_.offset(faces_.count()) * channels(what))),
        own_(packed_ ? 0 : window_.bytes(ctx.rank()), 1) {
    all_.bytes.clear();
    for (std::size_t c = 0; c < channels(what); ++c) add_chain(ctx);
    streams_ = packed_ && chains_.front().streaming(0);
  }

  const ring_faces& faces() const { return all_; }
  std::string name() const { return name_; }
  std::string describe() const { return chains_.front().describe(); }

  std::span<std::byte> sending(std::size_t face) const {
    if (!packed_) return sources_[face];
    const auto [chain, route] = ways_[face];
    return chains_[chain].target(route);
  }
  void start() {
    for (face_chain& chain : chains_) chain.start();
  }
  void wait() {
    for (face_chain& chain : chains_) chain.wait();
  }
  std::span<const std::byte> received(std::size_t face) const {
    const auto [chain, route] = ways_[face];
    return chains_[chain].arrived(route);
  }
  void release() {}
  bool streams() const { return streams_; }

 private:
  struct way {
    std::size_t chain, route;
  };

  static std::size_t channels(const cell& what) { return static_cast<std::size_t>(what.channels); }

  void add_chain(const context& ctx) {
    const std::size_t base = chains_.size() * faces_.offset(faces_.count());
    std::vector<face_route> routes;
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const std::size_t face = all_.count(), bytes = faces_.bytes[f], at = base + faces_.offset(f);
      all_.bytes.push_back(bytes);
      ways_.push_back({chains_.size(), f});
      if (!packed_) sources_.push_back(own_[0].subspan(at, bytes));
      routes.push_back(
          {all_.target(face), all_.origin(face),
           packed_ ? local_view{nullptr, bytes} : local_view::contiguous(sources_.back()), bytes,
           at});
    }
    chains_.emplace_back(ctx, window_, routes);
  }

  ring_faces faces_, all_;
  std::string name_;
  bool packed_, streams_ = false;
  window window_;
  measure::rotation own_;
  std::vector<face_chain> chains_;
  std::vector<way> ways_;                      ///< of each face
  std::vector<std::span<std::byte>> sources_;  ///< of each face that is not packed
};

}  // namespace

std::unique_ptr<contender> make_chain_halo(const context& ctx, const cell& what) {
  const std::string usual = channels_of(ctx);
  if (!what.channel.empty()) set_channels(ctx, what.channel);
  std::vector<chain_halo> turns;
  for (std::size_t i = 0; i < what.turns(); ++i) turns.emplace_back(ctx, what);
  if (!what.channel.empty()) set_channels(ctx, usual);
  return std::make_unique<touched_halo<chain_halo>>(std::move(turns));
}

}  // namespace onehop::bench
