#include "search.hpp"

#include "work.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

namespace graph_search {
namespace {

/// A search changes its direction by the rule of S. Beamer, K. Asanovic, D. Patterson,
/// "Direction-optimizing breadth-first search", SC12.
constexpr std::uint64_t to_bottom_up = 15, to_top_down = 18;

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
      parents_(of.count()),
      levels_(of.count()),
      known_(of.parts().block_words() * static_cast<std::size_t>(of.job().size())),
      next_(of.parts().block_words()),
      frontier_(of.parts().block_words()),
      everybodys_(how == variant::direction_optimising ? known_.words().size() : 0),
      found_(of, how != variant::top_down) {}

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
  unexplored_ = graph_.degrees();
  onehop::allreduce(graph_.job(), std::span(&unexplored_, 1));
  if (graph_.parts().owner(root) != graph_.job().rank()) return;
  known_.add(root);
  parents_[own(root)] = root;
  next_.add(own(root));
}

bool search::goes_bottom_up(const level_facts& last) const noexcept {
  if (how_ != variant::direction_optimising) return false;
  if (is_bottom_up_) return last.vertices >= graph_.parts().vertices() / to_top_down;
  return last.edges > unexplored_ / to_bottom_up;
}

void search::top_down() {
  scanned_ = 0;
  for_each(frontier_.words(), [this](vertex local) { expand(local); });
  graph_.job().work(scanning_work(frontier_.size(), scanned_));
  found_.exchange([this](std::span<const discovery> told) { take(told); });
}

/// Vertices of a level come in ascending order, so the first one of this rank that has a vertex as
/// its neighbour is the parent with the smallest number.
void search::expand(vertex from) {
  const vertex parent = graph_.first() + from;
  const auto neighbours = graph_.neighbours(from);
  scanned_ += neighbours.size();
  for (const vertex v : neighbours) {
    if (known_.has(v)) continue;
    const vertex local = own(v);
    if (local < graph_.count()) {
      known_.add(v);
      next_.add(local);
      parents_[local] = parent;
    } else {
      if (how_ != variant::top_down) known_.add(v);
      found_.tell(graph_.parts().owner(v), {v, parent});
      ++told_;
    }
  }
}

void search::take(std::span<const discovery> told) {
  for (const discovery& each : told) {
    const vertex local = own(each.child);
    if (!known_.has(each.child)) {
      known_.add(each.child);
      next_.add(local);
      parents_[local] = each.parent;
    } else if (next_.has(local)) {
      parents_[local] = std::min(parents_[local], each.parent);
    }
  }
  graph_.job().work(taking_work(told.size()));
}

/// The frontiers of all ranks are gathered, so that each rank learns which vertices of the others
/// are reached.
void search::bottom_up() {
  onehop::allgather(graph_.job(), std::as_bytes(frontier_.words()),
                    std::as_writable_bytes(everybodys_.words()));
  std::ranges::transform(known_.words(), everybodys_.words(), known_.words().begin(),
                         [](std::uint64_t a, std::uint64_t b) { return a | b; });
  const std::span<const std::uint64_t> known = own_words(known_),
                                       connected = graph_.connected().words();
  scanned_ = 0;
  std::uint64_t looking = 0;
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::uint64_t open = connected[k] & ~known[k];
    looking += static_cast<unsigned>(std::popcount(open));
    for_each_bit(open, static_cast<vertex>(64 * k),
                 [this](vertex local) { look_for_parent(local); });
  }
  graph_.job().work(scanning_work(looking, scanned_));
}

/// Neighbours are in ascending order, so the first one found has the smallest number.
void search::look_for_parent(vertex local) {
  const auto neighbours = graph_.neighbours(local);
  const auto found =
      std::ranges::find_if(neighbours, [this](vertex v) { return everybodys_.has(v); });
  scanned_ += static_cast<std::uint64_t>(found - neighbours.begin());
  if (found == neighbours.end()) return;
  ++scanned_;
  next_.add(local);
  parents_[local] = *found;
}

/// What a bottom-up step has found becomes part of `known_` only here.
level_facts search::finish_level(std::int32_t level) {
  std::array<std::uint64_t, 3> sums{0, 0, told_};
  for_each(next_.words(), [&](vertex local) {
    levels_[local] = level;
    ++sums[0];
    sums[1] += graph_.degree(local);
  });
  const auto mine = own_words(known_);
  std::ranges::transform(mine, next_.words(), mine.begin(), std::bit_or<>());
  onehop::allreduce(graph_.job(), std::span<std::uint64_t>(sums));
  told_ = 0;
  if (!facts_.empty()) facts_.back().told = sums[2];
  return {sums[0], sums[1], 0, false};
}

std::span<std::uint64_t> search::own_words(vertex_set& all) const noexcept {
  return all.words().subspan(
      static_cast<std::size_t>(graph_.job().rank()) * graph_.parts().block_words(),
      graph_.parts().block_words());
}

}  // namespace graph_search
