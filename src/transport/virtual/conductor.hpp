#pragma once
/// The conductor of a virtual machine owns the network and says whose turn it is; ranks ask it for
/// everything. They are threads of the conductor's process or processes of their own.

#include <functional>
#include <memory>
#include <onehop/kernel_cost.hpp>
#include <span>
#include <string>
#include <string_view>

#include "netsim/machine/time.hpp"
#include "transport/base/bootstrap.hpp"
#include "transport/base/mail.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/call_site.hpp"
#include "transport/virtual/request.hpp"
#include "transport/virtual/round_record.hpp"

namespace onehop::virtual_machine {

using netsim::picoseconds;

// Every call of these names the rank that makes it. Calls that take no time may be carried out at
// the end of the rank's turn, in their order: nothing happens on the machine before that.

/// Time passes in the turns of ranks, of which one runs at a time.
class turns {
 public:
  virtual ~turns() = default;

  virtual picoseconds now() const noexcept = 0;
  /// Ends the turn of a rank that has nothing to do before something comes, or `until`. It may come
  /// back before.
  virtual void wait(int rank, picoseconds until) = 0;
  /// Ends the turn of a rank that looks again and again at something that has not come.
  virtual void look(int rank) = 0;
  virtual void work(int rank, const kernel_cost& cost) = 0;
  /// Waits, as the host does before it sends what its GPU has made, for kernels to be over.
  virtual void drain(int rank) = 0;

  /// These count the time that a rank's program computes where it is charged: from the end of one
  /// call of the rank's transport to the beginning of the next that may pass time.
  virtual void charge_compute(int) {}
  virtual void restart_clock(int) noexcept {}
  /// Notes that the rank's program has come to this place, where it is charged what a recording has
  /// for the computing before it, and a recording of it is written.
  virtual void note_call(int, const call_site&) {}
  /// Notes that the rank's program looks for something, which is not computing.
  virtual void note_look(int) noexcept {}
};

/// Failures are told as by the calls of failure.
class failures {
 public:
  virtual ~failures() = default;

  /// Throws peer_error once the job has failed.
  virtual void throw_if_failed() = 0;
  virtual bool left(int rank) const noexcept = 0;
  virtual void abandon(int rank, std::string_view reason) noexcept = 0;
  virtual void timed_out(int, std::string_view) noexcept {}
  /// Ends the rank; its last call.
  virtual void leave(int rank) noexcept = 0;
};

/// Memory is exposed as by the calls of a transport.
class exposures {
 public:
  virtual ~exposures() = default;

  virtual memory_id expose(int rank, std::span<const std::size_t> bytes_of_rank) = 0;
  virtual void withdraw(int rank, memory_id memory) noexcept = 0;
  virtual std::span<std::byte> share(memory_id memory, int rank) const = 0;
  virtual memory_id divide(int rank, const partition& how) = 0;
};

/// Chains send on the machine; a rank's side of one has a record at the beginning of the rank's
/// share of its own memory.
class chain_table {
 public:
  virtual ~chain_table() = default;

  /// Does what the call of a transport does.
  virtual std::uint64_t least_granted_bytes() const = 0;
  virtual int node_of(int rank) const = 0;
  /// Carries out a request of the rank, or has it carried out at the end of the rank's turn.
  virtual void ask(int rank, request what) = 0;
  /// Describes how a put of a chain goes.
  virtual std::string describe(int rank, memory_id own, std::size_t put) = 0;
};

/// A conductor also has the rounds of a bootstrap.
class conductor : public turns, public failures, public exposures, public chain_table {
 public:
  const std::string& name() const noexcept { return name_; }  ///< name of the transport
  int size() const noexcept { return static_cast<int>(rounds_.ranks.size()); }
  /// Returns the conductor as the rank's group sees it, which this one outlives.
  virtual std::shared_ptr<conductor> join_group(int rank, memory_id divided,
                                                const partition& how) = 0;

  /// Does what the call of a transport does.
  virtual std::unique_ptr<mail> open_mail(int) { return nullptr; }

  /// These do what the calls of a bootstrap do; the messages of a round that `is_free` take no
  /// time.
  std::size_t round_bytes() const noexcept { return round_bytes_; }
  void post(int rank, std::uint64_t tag, std::span<const std::byte> message, bool is_free);
  bootstrap::posting posted(int rank, int other);

 protected:
  /// The rounds must outlive the conductor; `round_bytes` is the most that a message of one has.
  conductor(std::string name, const round_table& all_rounds, std::size_t round_bytes)
      : name_(std::move(name)), rounds_(all_rounds), round_bytes_(round_bytes) {}

  /// Returns where a rank's message of its last odd or even round lies, and makes room there for
  /// `bytes` that the rank itself is to write.
  virtual std::byte* message_memory(int rank, unsigned parity, std::size_t bytes) = 0;

 private:
  std::string name_;
  round_table rounds_;
  std::size_t round_bytes_;
};

}  // namespace onehop::virtual_machine
