#include <algorithm>
#include <cstdint>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop {
namespace {

// No value contains this character. It separates the values and also follows the last one.
constexpr char separator = '\0';
/// Messages show only the beginning of a longer value.
constexpr std::size_t most_shown = 400;

std::string joined(std::span<const std::string> values) {
  std::string all;
  for (const std::string& value : values) (all += value) += separator;
  return all;
}

std::string value_at(const std::string& all, std::size_t place) {
  const std::size_t before = place == 0 ? all.npos : all.rfind(separator, place - 1);
  const std::size_t begin = before == all.npos ? 0 : before + 1;
  return all.substr(begin, std::min(all.find(separator, begin) - begin, most_shown));
}

/// Returns the value that rank 0 passes.
std::string of_first_rank(const context& ctx, std::string mine) {
  std::uint64_t bytes = mine.size();
  broadcast(ctx, std::as_writable_bytes(std::span(&bytes, 1)));
  mine.resize(bytes);
  broadcast(ctx, std::as_writable_bytes(std::span(mine)));
  return mine;
}

}  // namespace

void agree(const context& ctx, std::string_view call, std::span<const std::string> values) {
  if (ctx.size() == 1 || ctx.transport().starts_with("virtual:")) return;
  const std::string mine = joined(values), first = of_first_rank(ctx, mine);
  together(ctx, [&] {
    if (mine == first) return;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(mine, first).in1 - mine.begin());
    throw usage_error(text(call, " ", value_at(first, at), " on rank 0 and ", value_at(mine, at),
                           " on rank ", ctx.rank(), ": give the same on all"));
  });
}

}  // namespace onehop
