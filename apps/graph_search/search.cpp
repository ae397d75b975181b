#include "search.hpp"

#include "work.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace graph_search {
namespace {

/// A search changes its direction by the rule of S. Beamer, K. Asanovic, D. Patterson,
/// "Direction-optimizing breadth-first search", SC12.
constexpr std::uint64_t to_bottom_up = 15, to_top_down = 18;

/// Calls `work` with each source whose bit is set in the words open(0), open(1), .... Its
/// neighbours lie anywhere in memory and are prefetched while the previous word is handled.
template <class Open, class Work>
void for_each_source(const graph& of, std::size_t words, const Open& open, const Work& work) {
  for (std::size_t k = 0; k < words; ++k) {
    if (k + 1 < words)
      for_each_bit(open(k + 1), static_cast<vertex>(64 * (k + 1)),
                   [&](vertex source) { of.prefetch_neighbours(source); });
    for_each_bit(open(k), static_cast<vertex>(64 * k), work);
  }
}

/// Gathers the bitmaps of the ranks of a group into one.
void gather(const onehop::context& group, std::span<const std::uint64_t> mine, vertex_set& all) {
  onehop::allgather(group, std::as_bytes(mine), std::as_writable_bytes(all.words()));
}

}  // namespace

variant variant_named(std::string_view name) {
  if (name == "top-down") return variant::top_down;
  if (name == "pruned") return variant::pruned;
  if (name == "direction-optimising") return variant::direction_optimising;
  throw onehop::usage_error("there is no search '" + std::string(name) +
                            "'; choose top-down, pruned or direction-optimising");
}

search::search(const graph& of, variant how)
    : graph_(of),
      how_(how),
      first_target_(of.parts().first_target(of.parts().row(of.job().rank()))),
      parents_(of.count()),
      levels_(of.count()),
      known_(of.parts().targets() / 64),
      next_(of.parts().block_words()),
      frontier_(of.parts().block_words()),
      sources_(of.parts().sources() / 64),
      targets_(how == variant::direction_optimising ? known_.words().size() : 0),
      children_(of.ranks().row(), told_along_row(of, how != variant::top_down)) {
  if (how == variant::direction_optimising)
    parents_found_.emplace(of.ranks().column(), told_along_column(of));
}

const std::vector<level_facts>& search::run(vertex root) {
  begin(root);
  for (std::int32_t level = 0;; ++level) {
    level_facts last = finish_level(level);
    if (last.vertices == 0) break;
    unexplored_ -= last.edges;
    last.bottom_up = is_bottom_up_ = goes_bottom_up(last);
    std::swap(frontier_, next_);
    next_.clear();
    if (is_bottom_up_)
      bottom_up();
    else
      top_down();
    facts_.push_back(last);
  }
  return facts_;
}

void search::begin(vertex root) {
  if (root >= graph_.parts().vertices())
    throw onehop::usage_error("a search from vertex " + std::to_string(root) +
                              " of a graph with vertices 0 to " +
                              std::to_string(graph_.parts().vertices() - 1));
  std::ranges::fill(parents_, no_vertex);
  std::ranges::fill(levels_, -1);
  known_.clear(), next_.clear();
  facts_.clear();
  is_bottom_up_ = false;
  told_ = 0;
  unexplored_ = graph_.arcs();
  onehop::allreduce(graph_.job(), std::span(&unexplored_, 1));
  if (graph_.parts().owner(root) != graph_.job().rank()) return;
  reach(own(root), root);
}

bool search::goes_bottom_up(const level_facts& last) const noexcept {
  if (how_ != variant::direction_optimising) return false;
  if (is_bottom_up_) return last.vertices >= graph_.parts().vertices() / to_top_down;
  return last.edges > unexplored_ / to_bottom_up;
}

void search::top_down() {
  gather(graph_.ranks().column(), frontier_.words(), sources_);
  scanned_ = 0;
  const std::span<const std::uint64_t> words = sources_.words();
  for_each_source(
      graph_, words.size(), [words](std::size_t k) { return words[k]; },
      [this](vertex source) { find_children(source); });
  graph_.job().work(scanning_work(sources_.size(), scanned_));
  children_.exchange([this](std::span<const discovery> told) { take(told); });
}

/// Sources of a level come in ascending order. The first source that has a vertex as its neighbour
/// is therefore the smallest parent of the vertex on this rank.
void search::find_children(vertex source) {
  const partition& parts = graph_.parts();
  const vertex parent = parts.vertex_of_source(source, parts.column(graph_.job().rank()));
  const auto neighbours = graph_.neighbours(source);
  scanned_ += neighbours.size();
  for (const vertex v : neighbours) {
    if (known_.has(target(v))) continue;
    const vertex local = own(v);
    if (local < graph_.count()) {
      reach(local, parent);
    } else {
      if (how_ != variant::top_down) known_.add(target(v));
      children_.tell(parts.column(parts.owner(v)), {v, parent});
      ++told_;
    }
  }
}

void search::reach(vertex local, vertex parent) {
  known_.add(target(graph_.first() + local));
  next_.add(local);
  parents_[local] = parent;
}

void search::take(std::span<const discovery> told) {
  for (const discovery& each : told) {
    const vertex local = own(each.child);
    if (!known_.has(target(each.child))) {
      reach(local, each.parent);
    } else if (next_.has(local)) {
      parents_[local] = std::min(parents_[local], each.parent);
    }
  }
  graph_.job().work(taking_work(told.size()));
}

/// Each rank learns which of its targets are in the last level, and which of its sources have not
/// been reached and therefore look for a parent there.
void search::bottom_up() {
  const rank_grid& ranks = graph_.ranks();
  const std::size_t block = graph_.parts().block_words();
  gather(ranks.row(), frontier_.words(), targets_);
  std::ranges::transform(known_.words(), targets_.words(), known_.words().begin(), std::bit_or<>());
  const auto column = static_cast<std::size_t>(graph_.parts().column(graph_.job().rank()));
  gather(ranks.column(), known_.words().subspan(column * block, block), sources_);
  const std::span<const std::uint64_t> reached = sources_.words(), begins = graph_.begins().words();
  scanned_ = 0;
  std::uint64_t looking = 0;
  for_each_source(
      graph_, reached.size(), [=](std::size_t k) { return begins[k] & ~reached[k]; },
      [&](vertex source) {
        ++looking;
        look_for_parent(source);
      });
  graph_.job().work(scanning_work(looking, scanned_));
  parents_found_->exchange([this](std::span<const discovery> told) { take(told); });
}

/// Neighbours are in ascending order, so that the first one found is the smallest parent on this
/// rank.
void search::look_for_parent(vertex source) {
  const partition& parts = graph_.parts();
  const auto neighbours = graph_.neighbours(source);
  const auto found =
      std::ranges::find_if(neighbours, [this](vertex v) { return targets_.has(target(v)); });
  scanned_ += static_cast<std::uint64_t>(found - neighbours.begin());
  if (found == neighbours.end()) return;
  ++scanned_;
  const vertex child = parts.vertex_of_source(source, parts.column(graph_.job().rank()));
  const vertex local = own(child);
  if (local < graph_.count()) {
    reach(local, *found);
  } else {
    parents_found_->tell(parts.row(parts.owner(child)), {child, *found});
    ++told_;
  }
}

level_facts search::finish_level(std::int32_t level) {
  std::array<std::uint64_t, 3> sums{0, 0, told_};
  for_each(next_.words(), [&](vertex local) {
    levels_[local] = level;
    ++sums[0];
    sums[1] += graph_.degree(local);
  });
  onehop::allreduce(graph_.job(), std::span<std::uint64_t>(sums));
  told_ = 0;
  if (!facts_.empty()) facts_.back().told = sums[2];
  return {sums[0], sums[1], 0, false};
}

}  // namespace graph_search
