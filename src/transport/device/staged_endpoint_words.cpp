// Here a chain with memory of devices describes itself in words.

#include "base/text.hpp"
#include "transport/device/staged_endpoint.hpp"

namespace onehop {

std::string staged_endpoint::describe_peer(std::size_t put) const {
  const std::string_view how =
      link_to(put).opened
          ? "cuda_ipc: written by this rank's device into the other's memory, which "
            "was opened and tried at commit"
          : "written by this rank's device into the other's memory, which belongs to "
            "the same process";
  return text("from a device's memory to a device's memory, ", how, rows_of(put),
              "; granted by the target in each exchange, then notified by the host");
}

std::string staged_endpoint::rows_of(std::size_t put) const {
  const std::string& rows = mine_.packings[put].why;
  return rows.empty() ? rows : ", " + rows;
}

std::string staged_endpoint::describe(std::size_t put) const {
  const std::string how = describe_way(put);
  if (mine_.why_host.empty()) return how;
  return text(how, "; the host waits, not the stream: ", mine_.why_host);
}

std::string staged_endpoint::describe_way(std::size_t put) const {
  const outgoing& out = puts_[put];
  const leg& first = out.legs.front();
  const std::string carried = stages_[first.stage].runner->describe(first.index);
  if (!out.how.from_device && !out.how.to_device) return carried;
  if (out.how.by_peer) return describe_peer(put);
  const std::string_view ends = !out.how.from_device ? "to a device's memory"
                                : out.how.to_device  ? "from a device's memory to a device's memory"
                                                     : "from a device's memory";
  const std::string& why = link_to(put).why_not;
  const std::string refused = text(
      why.empty() ? "" : text(" (no cuda_ipc: ", why, ")"),
      mine_.why_no_address.empty() ? "" : text(" (not by address: ", mine_.why_no_address, ")"),
      rows_of(put));
  if (out.legs.size() == 1)
    return text(ends, refused, ", staged in pinned memory of the host, in one piece: at most ",
                out.how.piece_bytes, " bytes, or one that cannot be cut; between hosts ", carried);
  return text(ends, refused, ", pipelined through pinned memory of the host in ", out.legs.size(),
              " pieces of ", out.how.piece_bytes,
              " bytes, so that copies and wire overlap; between hosts ", carried);
}

}  // namespace onehop
