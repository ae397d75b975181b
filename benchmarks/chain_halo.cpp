#include <onehop/put_chain.hpp>

#include "benchmarks/make.hpp"
#include "benchmarks/touched_halo.hpp"
#include "measure/rotation.hpp"
#include "transport/base/transport.hpp"

namespace onehop::bench {
namespace {

/// A chain_halo exchanges by put chains. `channels` chains are in flight at the same time; each of
/// them has all faces.
class chain_halo {
 public:
  chain_halo(const context& ctx, const cell& what)
      : faces_{ctx.rank(), ctx.size(), what.face_bytes},
        all_(faces_),
        name_(what.channel.empty() ? "onehop" : "onehop " + what.channel),
        packed_(what.packed),
        takes_turns_(what.channel.empty()),
        window_(window::allocate(ctx, faces_.offset(faces_.count()) * channels(what))),
        own_(packed_ ? 0 : window_.bytes(ctx.rank()), 1) {
    all_.bytes.clear();
    for (std::size_t c = 0; c < channels(what); ++c) add_chain(ctx);
    for (put_chain& chain : chains_) chain.commit();
    streams_ = packed_ && chains_.front().streaming(slots_.front());
  }

  const ring_faces& faces() const { return all_; }
  std::string name() const { return name_; }
  std::string describe() const { return chains_.front().describe(); }

  std::span<std::byte> sending(std::size_t face) const {
    return packed_ ? chain_of(face).target_view(slots_[face]) : sources_[face];
  }
  void start() {
    for (put_chain& chain : chains_) chain.start();
  }
  void start_partial() {
    for (put_chain& chain : chains_) chain.start_partial();
  }
  void ready(std::size_t face) { chains_[chain_of_[face]].ready(slots_[face]); }
  void wait() {
    for (put_chain& chain : chains_) chain.wait();
  }
  std::span<const std::byte> received(std::size_t face) const {
    return chain_of(face).arrived(arrivals_[face]);
  }
  void release() {}
  bool streams() const { return streams_; }

 private:
  static std::size_t channels(const cell& what) { return static_cast<std::size_t>(what.channels); }
  const put_chain& chain_of(std::size_t face) const { return chains_[chain_of_[face]]; }

  void add_chain(const context& ctx) {
    put_chain& chain = chains_.emplace_back(ctx, window_);
    // Puts that take turns do not use the channel that will be measured.
    if (takes_turns_) chain.take_turns();
    const std::size_t base = (chains_.size() - 1) * faces_.offset(faces_.count());
    for (std::size_t f = 0; f < faces_.count(); ++f) {
      const std::size_t face = all_.count();
      all_.bytes.push_back(faces_.bytes[f]);
      chain_of_.push_back(chains_.size() - 1);
      slots_.push_back(chain.push(describe_put(face, base + faces_.offset(f))));
      arrivals_.push_back(chain.add_origin(all_.origin(face)));
    }
  }

  put describe_put(std::size_t face, std::size_t offset) {
    if (packed_) return put::packed(all_.bytes[face], all_.target(face), offset);
    sources_.push_back(own_[0].subspan(offset, all_.bytes[face]));
    return {local_view::contiguous(sources_.back()), all_.target(face), offset};
  }

  ring_faces faces_, all_;
  std::string name_;
  bool packed_, takes_turns_, streams_ = false;
  window window_;
  measure::rotation own_;
  std::vector<put_chain> chains_;
  std::vector<std::size_t> chain_of_;
  std::vector<put_slot> slots_;
  std::vector<notification> arrivals_;
  std::vector<std::span<std::byte>> sources_;
};

/// A charged_halo is compared with a halo whose faces leave early, or is that halo. A virtual
/// machine charges it for the writing of each face, so that there is work to overlap.
template <bool early>
class charged_halo : public chain_halo {
 public:
  charged_halo(const context& ctx, const cell& what) : chain_halo(ctx, what), ctx_(ctx) {}

  std::string name() const { return chain_halo::name() + (early ? " early" : ""); }
  void begin() {
    if (early) start_partial();
  }
  void written(std::size_t face) {
    ctx_.work({.bytes = 2.0 * static_cast<double>(faces().bytes[face])});
    if (early) ready(face);
  }
  void start() {
    if (!early) chain_halo::start();
  }

 private:
  context ctx_;
};

template <class Halo>
std::unique_ptr<contender> make_halo(const context& ctx, const cell& what) {
  std::vector<Halo> turns;
  for (std::size_t i = 0; i < what.turns(); ++i) turns.emplace_back(ctx, what);
  return std::make_unique<touched_halo<Halo>>(std::move(turns));
}

}  // namespace

std::unique_ptr<contender> make_chain_halo(const context& ctx, const cell& what) {
  const std::string usual = channels_of(ctx);
  if (!what.channel.empty()) set_channels(ctx, what.channel);
  auto made = what.early          ? make_halo<charged_halo<true>>(ctx, what)
              : what.early_beside ? make_halo<charged_halo<false>>(ctx, what)
                                  : make_halo<chain_halo>(ctx, what);
  if (!what.channel.empty()) set_channels(ctx, usual);
  return made;
}

}  // namespace onehop::bench
