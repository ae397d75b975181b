#include "rma/put_check.hpp"

#include <limits>
#include <onehop/error.hpp>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "rma/device_channels.hpp"

namespace onehop {
namespace {

void require_rank(const context& ctx, std::string_view call, int rank) {
  if (rank < 0 || rank >= ctx.size())
    throw usage_error(text("rank ", ctx.rank(), ": ", call, " names rank ", rank, ", the job has ",
                           ctx.size(), ": give one from 0 to ", ctx.size() - 1));
}

/// The runs of `remote`, or those that remote_starts lists; no value for more than any memory has.
std::optional<std::size_t> runs_of(const put& description) {
  if (!description.remote_starts.empty()) return description.remote_starts.size();
  std::size_t runs = 1;
  for (const std::size_t count : description.remote.counts)
    if (__builtin_mul_overflow(runs, count, &runs)) return std::nullopt;
  return runs;
}

void require_layout(const context& ctx, const put& description) {
  const std::size_t run = description.remote.run_bytes, bytes = description.source.bytes();
  if (run == 0 && description.remote_starts.empty()) return;
  const std::string call =
      text("rank ", ctx.rank(), ": push of ", bytes, " bytes to rank ", description.target);
  if (run == 0)
    throw usage_error(text(call, " with ", description.remote_starts.size(),
                           " starts of runs of 0 bytes: give put::remote.run_bytes too"));
  const std::optional<std::size_t> runs = runs_of(description);
  if (!runs || bytes % run != 0 || *runs != bytes / run)
    throw usage_error(text(call, ", which arrive as ", runs ? text(*runs) : "too many", " runs of ",
                           run, ": give put::remote as many bytes as the source"));
  if (description.variable)
    throw usage_error(text(call, " at most, which arrive as ", *runs, " runs of ", run,
                           ": a put of variable size arrives without gaps"));
}

void require_bytes(const context& ctx, const put& description) {
  const local_view& source = description.source;
  const auto refuse = [&](std::string_view why) {
    throw usage_error(text("rank ", ctx.rank(), ": push of ", counted(source.blocks, "block"),
                           " of ", source.block_bytes, " bytes to rank ", description.target, why));
  };
  if (source.block_bytes == 0 || source.blocks == 0) refuse(": leave out a put that sends nothing");
  if (source.blocks > std::numeric_limits<std::size_t>::max() / source.block_bytes)
    refuse(", more than any memory: give fewer");
}

}  // namespace

chain_entry entry_of(const context& ctx, const put& description) {
  require_rank(ctx, "push", description.target);
  require_bytes(ctx, description);
  const local_view& source = description.source;
  const bool from_device = on_device(ctx, source.data);
  if (description.variable && (source.blocks != 1 || from_device))
    throw usage_error(
        text("rank ", ctx.rank(), ": push of up to ", source.bytes(), " bytes to rank ",
             description.target, " from ",
             from_device ? std::string("a device's memory") : counted(source.blocks, "block"),
             ": a put of variable size sends one block of the host's memory"));
  require_layout(ctx, description);
  const bool divisible = from_device || (source.data != nullptr && source.blocks == 1);
  return {chain_entry::kind::put,
          description.target,
          source.bytes(),
          description.remote_offset,
          std::uint8_t{from_device},
          std::uint8_t{divisible},
          0,
          std::uint8_t{description.variable},
          0,
          description.remote,
          description.remote_starts.size()};
}

chain_entry entry_of_origin(const context& ctx, int rank) {
  require_rank(ctx, "add_origin", rank);
  return {chain_entry::kind::origin, rank, 0, 0, 0, 0, 0, 0, 0, {}, 0};
}

}  // namespace onehop
