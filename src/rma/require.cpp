#include "rma/require.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop {

void require_root(const context& ctx, int root, const char* what) {
  if (root >= 0 && root < ctx.size()) return;
  throw usage_error(text(what, " rank ", root, ": give one from 0 to ", ctx.size() - 1));
}

void require_space(const context& ctx, const char* what, std::size_t mine, std::size_t all) {
  const auto ranks = static_cast<std::size_t>(ctx.size());
  if (all == mine * ranks) return;
  throw usage_error(text(what, " of ", mine, " bytes of each of ", counted(ranks, "rank"), " with ",
                         all, " bytes for all: give ", mine * ranks));
}

}  // namespace onehop
