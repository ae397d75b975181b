#pragma once
/// A packet_trace records what each stage and link did, so that a whole run can be viewed.

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "netsim/machine/compiled_machine.hpp"

namespace onehop::netsim {

struct trace_span {
  picoseconds start, length;
  std::uint32_t where;  ///< node, or link
  std::uint32_t stage;  ///< no_index for a link
  std::uint64_t token;
};

class packet_trace {
 public:
  /// Starts recording; nothing is kept before.
  void begin() { is_on_ = true; }
  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  void add(const trace_span& span) { spans_.push_back(span); }
  /// Writes Chrome trace events: a process per node, a thread per stage and outgoing link.
  void write(std::ostream& out, const compiled_machine& machine) const;
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return spans_.capacity() * sizeof(trace_span);
  }

 private:
  bool is_on_ = false;
  std::vector<trace_span> spans_;
};

}  // namespace onehop::netsim
