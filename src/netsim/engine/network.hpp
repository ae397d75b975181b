#pragma once
/// One machine in virtual time: messages are posted, cut into packets, carried through stages,
/// links and routers, and their ends are told to a listener.
///
/// Single-threaded and deterministic: the same calls give the same events, those of equal time in
/// the order in which they were caused.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/message.hpp"
#include "netsim/machine/machine_description.hpp"

namespace onehop::netsim {

enum class queue_kind : std::uint8_t { ladder, heap };

class network {
 public:
  /// Throws usage_error for a description that fails its check. The listener must outlive the
  /// network; the description need not.
  network(const machine_description& machine, listener& hears, queue_kind how = queue_kind::ladder);
  ~network();
  network(network&&) noexcept;
  network& operator=(network&&) noexcept;

  [[nodiscard]] picoseconds now() const noexcept;

  /// Starts a message at now(). Throws usage_error for a node or path that is not there, and when
  /// dead links cut the way.
  void post(const message& what);
  /// Calls listener::alarm(token) at `at`, which must not be past.
  void alarm(picoseconds at, std::uint64_t token);

  /// Does the next event; false when nothing is left.
  bool run_one();
  /// Does all of them, then checks conservation: throws onehop::error when a byte, packet or credit
  /// is missing or a message never arrived.
  void run();
  /// As run(), but only the check.
  void check_conservation() const;
  /// run() calls it now and then; it may throw to end the run.
  void watch(std::function<void()> look);

  [[nodiscard]] run_account account() const;
  [[nodiscard]] std::vector<stage_account> stages() const;
  [[nodiscard]] std::vector<link_account> links() const;

  /// From now on remembers what each stage and link did; about 32 bytes per packet and stage.
  void record_trace();
  /// As Chrome trace events (chrome://tracing, ui.perfetto.dev): nodes are processes, times us.
  void write_trace(std::ostream& out) const;

 private:
  class engine;
  std::unique_ptr<engine> engine_;
};

}  // namespace onehop::netsim
