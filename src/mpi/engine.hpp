#pragma once
/// The engine of a rank matches messages with receives and moves their bytes.
///
/// A short message is sent at once, in several parts if necessary, and waits at its receiver for a
/// receive. A long message is announced first. Once its receive exists and both ranks are waiting
/// in MPI, the sender sends it in parts, writing one while the receiver reads another. Otherwise
/// the receiver reads it from the sender's memory, unless the kernel or a virtual machine forbids
/// that.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <onehop/context.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/deadlock_watch.hpp"
#include "mpi/errors.hpp"
#include "mpi/fiber.hpp"
#include "mpi/request.hpp"
#include "mpi/wire.hpp"
#include "rma/waiter.hpp"

namespace onehop::mpi_abi {

class engine {
 public:
  /// The constructor is collective.
  explicit engine(const context& ctx);

  const context& job() const noexcept { return ctx_; }

  /// Starts a request, which must stay at its address until it is complete.
  void start(request& one);
  /// Advances all communication as far as possible without waiting.
  void progress();
  /// Waits until `done()`. `missing()` describes what has not arrived.
  template <class Done>
  void wait(Done&& done, const std::function<std::vector<missing_piece>()>& missing) {
    if (fiber* const here = fiber::current()) {
      here->wait(std::forward<Done>(done), missing);
      return;
    }
    const wire::presence present(wire_);
    failed_looks_ = 0;
    const auto look = [&] {
      progress();
      return done();
    };
    const auto report = [&, function = current_function()] {
      return wait_report{"in " + std::string(function), missing()};
    };
    deadlock_watch::waiting_thread mine(deadlocks_);
    wait_until(
        ctx_, look,
        [&](waiter& patience) {
          // Another rank's next request may follow soon after this one has served it.
          if (std::exchange(served_, false)) patience.begin_again();
          deadlocks_.look_in_vain(mine, report);
          // While the lock was released, another thread may have received what this one waits for.
          // So this one looks again before it reports what is missing.
          const bool looks_around = let_others_call([&] { return patience.pass(); }) && !look();
          if (looks_around) end_if_none_goes_on(mine, report);
          return looks_around;
        },
        report);
  }
  void wait(request& one);
  /// Starts a request and waits until it is complete.
  void start_and_wait(request& one) {
    // Presence begins before the start, so that the receiver knows that this rank is about to wait.
    const wire::presence present(wire_);
    start(one);
    wait(one);
  }
  /// Returns, as text, which ranks a request waits for.
  std::vector<missing_piece> missing(const request& one) const;
  /// Runs the body of a collective on a fiber, and completes the request when the body ends.
  void carry_out(request& one, const std::function<void()>& body);
  /// Makes progress and returns whether `is_there()`, without waiting for it. If the look fails,
  /// some time passes when other ranks or threads need it.
  bool look(const std::function<bool()>& is_there);

  struct found_message {
    int source, tag;
    std::size_t bytes;
  };
  /// Returns the first message that has arrived and that a receive with this envelope would match.
  std::optional<found_message> find(const envelope& wanted) const;

  /// Marks a request complete. If the caller has freed it, the request ends.
  void complete(request& one);

  /// A service handles packets of a context that are not messages.
  using service = std::function<void(const packet_header&, std::span<const std::byte> payload)>;
  void serve(std::uint32_t context, service take) { services_[context] = std::move(take); }
  void stop_serving(std::uint32_t context) { services_.erase(context); }
  /// Sends a packet to the service of its context at another rank. The payload is copied.
  void post(int to, const packet_header& header, std::span<const std::byte> payload);
  std::size_t most_payload() const noexcept { return wire_.most_payload(); }
  const wire& packets() const noexcept { return wire_; }
  /// Returns whether data are still to be sent to other ranks without another call.
  bool has_to_send() const noexcept { return waiting_count_ > 0 || !parted_.empty(); }
  /// A memory_piece is a run of contiguous bytes in a rank's memory.
  struct memory_piece {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  /// Copies pieces of another rank's memory, one after the other, without that rank's help. Returns
  /// whether all were copied: the kernel may forbid it, and it is never possible in virtual time.
  bool read_memory(int world, std::span<const memory_piece> pieces, std::byte* to);
  /// Returns how many packets to a rank wait for space on the wire.
  std::size_t waiting_packets(int to) const {
    return waiting_[static_cast<std::size_t>(to)].size();
  }

  /// A waiting_message has arrived or been announced, but has not matched a receive.
  struct waiting_message {
    packet_header header;
    int world;
    std::vector<std::byte> payload;
  };
  /// Removes the first message that matches, so that no other receive can get it.
  std::optional<waiting_message> extract(const envelope& wanted);
  /// Starts receiving a message that extract has returned.
  void start(request& one, const waiting_message& message);

  /// Cancels a receive unless it has matched a message. Returns whether it did.
  bool withdraw(request& receive);
  /// Asks the receiver of a long message to drop it. If no receive has taken the message, the send
  /// completes as cancelled.
  void take_back(const request& sent);
  /// Leaves the job together with all other ranks. Returns one line for each message that no
  /// receive took.
  std::vector<std::string> finish();

 private:
  /// A queue holds the unmatched messages and receives of one context, in order.
  struct queue {
    std::vector<request*> receives;
    std::list<waiting_message> messages;
  };
  /// A begun_message still lacks parts that its sender has sent, or will send when there is space.
  struct begun_message {
    packet_header header;
    request* into = nullptr;       ///< its receive, or null if the message must first be complete
    std::vector<std::byte> parts;  ///< the parts that have arrived without a receive
  };
  /// An activity is a collective that advances while its caller does other work.
  struct activity {
    activity(request& of, std::function<void()> what) : one(of), body(std::move(what)) {}
    request& one;
    fiber body;
  };
  struct waiting_packet {
    packet_header header;
    std::vector<std::byte> own;  ///< the bytes of a packet that belongs to no request
    std::span<const std::byte> payload;
    request* sent;  ///< the request to complete when the packet has left, or null
    modelled_message stands_for;
  };

  /// Lets time pass by calling `idle`. In virtual time a rank has only one time, which its threads
  /// take turns to advance.
  template <class Idle>
  auto let_others_call(Idle&& idle) {
    if (least_granted_) return idle();
    // Calls of other threads change the current function.
    const named_function mine(current_function());
    const call_lock::pause others_call(calls());
    return idle();
  }
  void end_if_none_goes_on(deadlock_watch::waiting_thread& mine,
                           const deadlock_watch::report& report);
  static void reset(request& one);
  void start_send(request& one);
  void start_receive(request& one);
  void send(int to, const packet_header& header, std::span<const std::byte> payload, request* sent,
            const modelled_message& stands_for);
  void send_whole(request& one, packet_header header);
  bool goes_at_once(const request& one) const noexcept;
  void send_waiting();
  void send_parts();
  void take(int from, const packet_header& header, std::span<const std::byte> payload);
  void deliver(int from, const packet_header& header, std::span<const std::byte> payload);
  void begin_message(int from, const packet_header& header, std::span<const std::byte> payload);
  void go_on(int from, std::span<const std::byte> payload);
  request* take_receive(const packet_header& message);
  static void describe_message(request& into, const packet_header& header);
  void accept(request& into, int from, const packet_header& header,
              std::span<const std::byte> payload);
  void accept_long(request& into, int from, const packet_header& header);
  bool goes_in_parts(int from) const noexcept;
  void forget(int from, const packet_header& cancelled);
  void take_part(request& one, std::size_t begin, std::size_t whole,
                 std::span<const std::byte> payload);
  void complete_receive(request& one);
  void advance_activities();

  /// Consecutive messages usually have the same context.
  queue& queue_of(std::uint32_t context) {
    if (last_queue_ == nullptr || last_context_ != context) {
      last_queue_ = &queues_[context];
      last_context_ = context;
    }
    return *last_queue_;
  }

  context ctx_;
  wire wire_;
  std::unordered_map<std::uint32_t, queue> queues_;
  queue* last_queue_ = nullptr;  ///< valid, since queues never move
  std::uint32_t last_context_ = 0;
  std::unordered_map<std::uint32_t, service> services_;
  std::vector<std::deque<waiting_packet>> waiting_;  ///< packets that wait for space, by receiver
  std::size_t waiting_count_ = 0;
  std::vector<request*> parted_;  ///< sends whose parts are being sent
  std::list<activity> activities_;
  std::vector<begun_message> begun_;  ///< by sender, each of which sends one such message at a time
  std::vector<std::int64_t> processes_;
  /// In virtual time, the size of the shortest message that waits for its receive.
  std::optional<std::uint64_t> least_granted_;
  deadlock_watch deadlocks_;
  bool reads_;  ///< whether this rank can read other ranks' memory
  int failed_looks_ = 0;
  bool served_ = false;  ///< whether packets have arrived since the wait last looked
};

}  // namespace onehop::mpi_abi
