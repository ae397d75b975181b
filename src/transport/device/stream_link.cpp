#include "transport/device/stream_link.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <optional>

#include "base/text.hpp"
#include "device/driver/host_memory.hpp"
#include "device/driver/queue.hpp"
#include "device/driver/stream_words.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

using problem_words = std::array<char, 200>;

/// No exchange writes this value.
constexpr std::uint32_t trial = 0x7e57;

/// A board_offer tells others where to find a rank's words: first those of its puts, then those of
/// its arrivals.
struct board_offer {
  device::shared_name name{};
  std::uint64_t puts = 0;
};

/// Returns the first problem of any rank, with the rank's number, or nothing if no rank has one.
/// Collective.
std::string first_problem(const context& ctx, const std::string& mine) {
  problem_words words{};
  std::string_view(mine).copy(words.data(), words.size() - 1);
  const std::vector<problem_words> all = allgather(ctx, words);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank][0] != '\0') return text("rank ", rank, ": ", all[rank].data());
  return {};
}

template <class Step>
std::string problem_of(Step&& step) {
  try {
    step();
  } catch (const error& failure) {
    return failure.what();
  }
  return {};
}

class stream_linker {
 public:
  stream_linker(const context& ctx, const staged_route& route, std::span<const ipc_link> links,
                device::driver::context owner, device::peer_cache& peers)
      : ctx_(ctx), links_(links), owner_(owner), peers_(peers) {
    for (const carried_put& put : route.puts()) {
      if (put.edge.origin == ctx.rank()) puts_.push_back(put.edge);
      if (put.edge.target == ctx.rank()) arrivals_.push_back(put.edge);
    }
    std::ranges::sort(puts_, {}, &chain_edge::put);
    std::ranges::sort(arrivals_, {}, &chain_edge::arrival);
  }

  /// Makes the link; collective.
  stream_link link() {
    // After each step, every rank knows whether all ranks have succeeded.
    board_offer mine;
    mine.puts = puts_.size();
    if (refused([&] { make_board(mine); })) return std::move(link_);
    offers_ = allgather(ctx_, mine);
    if (refused([&] { open_boards(); })) return std::move(link_);
    if (refused([&] { write_trials(); })) return std::move(link_);
    if (refused([&] { await_trials(); })) return std::move(link_);
    return std::move(link_);
  }

 private:
  template <class Step>
  bool refused(Step&& step) {
    link_.problem = first_problem(ctx_, owner_ == nullptr ? std::string() : problem_of(step));
    return !link_.problem.empty();
  }
  std::size_t words() const { return puts_.size() + arrivals_.size(); }

  void make_board(board_offer& mine) {
    words_.emplace(owner_);
    if (!words_->problem().empty()) throw resource_error(words_->problem());
    for (const chain_edge& put : puts_)
      if (put.target != ctx_.rank() && !links_[static_cast<std::size_t>(put.target)].opened)
        throw resource_error(text("rank ", put.target,
                                  " belongs to the same process, whose streams CUDA may run one "
                                  "behind the other"));
    link_.own = peers_.board(owner_, std::max<std::size_t>(1, words()) * stream_link::line_bytes);
    // An earlier chain may have left words that look as if the trial had arrived, so all are
    // cleared.
    fill_words(owner_, *link_.own, words(), 0);
    const bool alone =
        std::ranges::all_of(puts_, is_own()) && std::ranges::all_of(arrivals_, is_own());
    if (!alone) mine.name = device::share(owner_, link_.own->data());
  }

  /// Returns a test for puts of this rank to itself.
  std::function<bool(const chain_edge&)> is_own() const {
    return [rank = ctx_.rank()](const chain_edge& edge) {
      return edge.origin == rank && edge.target == rank;
    };
  }

  std::byte* board_of(int rank) {
    if (rank == ctx_.rank()) return link_.own->data();
    const device::shared_name& name = offers_[static_cast<std::size_t>(rank)].name;
    link_.opened.push_back(peers_.open(owner_, name.handle));
    return link_.opened.back()->data() + name.offset;
  }
  std::byte* word(int rank, std::size_t number) {
    return board_of(rank) + number * stream_link::line_bytes;
  }
  std::size_t puts_of(int rank) const { return offers_[static_cast<std::size_t>(rank)].puts; }

  void open_boards() {
    for (const chain_edge& edge : puts_)
      link_.puts.push_back(
          {word(ctx_.rank(), static_cast<std::size_t>(edge.put)),
           word(edge.target, puts_of(edge.target) + static_cast<std::size_t>(edge.arrival))});
    for (const chain_edge& edge : arrivals_)
      link_.arrivals.push_back(
          {word(ctx_.rank(), puts_.size() + static_cast<std::size_t>(edge.arrival)),
           word(edge.origin, static_cast<std::size_t>(edge.put))});
  }

  template <class Operation>
  void on_all(Operation&& operation) {
    device::queue trying(owner_);
    for (const auto& list : {std::cref(link_.puts), std::cref(link_.arrivals)})
      for (const stream_word& word : list.get()) operation(trying.get(), word);
    trying.finish();
  }

  void write_trials() {
    on_all([&](device::driver::stream on, const stream_word& word) {
      words_->write(on, word.there, trial);
    });
  }

  void await_trials() {
    // Nothing would end the wait for a lost word, so the host reads all words.
    const std::vector<std::uint32_t> found = read_words(owner_, *link_.own, words());
    if (std::ranges::count(found, trial) != static_cast<std::ptrdiff_t>(words()))
      throw resource_error("a word that another device wrote to this one did not arrive");
    on_all([&](device::driver::stream on, const stream_word& word) {
      words_->await(on, word.here, trial);
    });
  }

  const context& ctx_;
  std::span<const ipc_link> links_;
  device::driver::context owner_;
  device::peer_cache& peers_;
  std::optional<device::stream_words> words_;
  std::vector<chain_edge> puts_, arrivals_;
  std::vector<board_offer> offers_;
  stream_link link_;
};

}  // namespace

std::vector<std::uint32_t> read_words(device::driver::context owner,
                                      const device::device_memory& board, std::size_t words) {
  const std::size_t bytes = words * stream_link::line_bytes;
  // When pinned memory is freed, the driver may wait for all streams, even for one that waits for a
  // failed rank.
  std::vector<std::byte> page(bytes);
  std::vector<std::uint32_t> found(words);
  if (words == 0) return found;
  device::queue reading(owner);
  reading.bring_out({board.data(), bytes, 0}, 0, bytes, page.data());
  reading.finish();
  for (std::size_t word = 0; word < words; ++word)
    std::memcpy(&found[word], page.data() + word * stream_link::line_bytes, sizeof found[word]);
  return found;
}

void fill_words(device::driver::context owner, const device::device_memory& board,
                std::size_t words, std::uint32_t value) {
  if (words == 0) return;
  std::vector<std::byte> lines(words * stream_link::line_bytes);
  for (std::size_t word = 0; word < words; ++word)
    std::memcpy(&lines[word * stream_link::line_bytes], &value, sizeof value);
  device::queue writing(owner);
  writing.bring_in(board.data(), lines.data(), lines.size());
  writing.finish();
}

stream_link link_streams(const context& ctx, const staged_route& route,
                         std::span<const ipc_link> links, device::driver::context owner,
                         device::peer_cache& peers) {
  for (const carried_put& put : route.puts()) {
    if (put.by_peer && !put.edge.variable) continue;
    stream_link none;
    none.problem = text("put ", put.edge.put, " of rank ", put.edge.origin,
                        put.by_peer ? " is of variable size, of which the host must learn"
                                    : " goes through the host");
    return none;
  }
  return stream_linker(ctx, route, links, owner, peers).link();
}

}  // namespace onehop
