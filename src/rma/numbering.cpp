#include "rma/numbering.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

std::string numbering(const context& ctx) {
  if (!transport_of(ctx).is_part()) return {};
  constexpr int most = 16;
  std::string own, in_job;
  for (int rank = 0; rank < std::min(ctx.size(), most); ++rank) {
    own += text(rank > 0 ? ", " : "", rank);
    in_job += text(rank > 0 ? ", " : "", ctx.rank_in_job(rank));
  }
  const std::string_view more = ctx.size() > most ? ", ..." : "";
  const std::string_view ranks = ctx.size() > 1 ? "ranks " : "rank ";
  return text("; ", ranks, own, more, " of this group ", ctx.size() > 1 ? "are " : "is ", ranks,
              in_job, more, " of the job");
}

void with_numbering(const context& ctx, const std::function<void()>& check) {
  const std::string names = numbering(ctx);
  if (names.empty()) return check();
  try {
    check();
  } catch (const chain_error& refused) {
    throw chain_error(refused.what() + names);
  } catch (const usage_error& refused) {
    throw usage_error(refused.what() + names);
  }
}

}  // namespace onehop
