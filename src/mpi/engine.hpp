#pragma once
/// The engine of a rank matches messages with receives and moves their bytes.
///
/// A short message travels at once, in parts if need be, and waits at its receiver for a receive. A
/// long one announces itself. When a receive is there and both ranks wait, the sender sends it in
/// parts, one of which is written while another is read; otherwise the receiver reads it from the
/// sender's memory, unless the kernel or a virtual machine does not let it.

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

  /// Begins what the request asks for. The request stays where it is until it is complete.
  void start(request& one);
  /// Goes on with everything as far as that is possible without waiting.
  void progress();
  /// Waits until `done()`; `missing()` tells what has not come.
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
          // Another rank's next request may follow soon where this one has served it.
          if (std::exchange(served_, false)) patience.begin_again();
          deadlocks_.look_in_vain(mine, report);
          // Another thread's call may have received what this one waits for, so that this one
          // looks again before it tells what is missing.
          const bool looks_around = let_others_call([&] { return patience.pass(); }) && !look();
          if (looks_around) end_if_none_goes_on(mine, report);
          return looks_around;
        },
        report);
  }
  void wait(request& one);
  /// Begins what a request asks for, and waits until it is complete.
  void start_and_wait(request& one) {
    // What others hear of it goes by the wait to come.
    const wire::presence present(wire_);
    start(one);
    wait(one);
  }
  /// Returns whom a request waits for, in words.
  std::vector<missing_piece> missing(const request& one) const;
  /// Carries out the body of a collective on a fiber, and completes the request at its end.
  void carry_out(request& one, const std::function<void()>& body);
  /// Makes progress for a call that looks for something, says whether it is there, and does not
  /// wait for it. Some time passes where others need it.
  bool look(const std::function<bool()>& is_there);

  struct found_message {
    int source, tag;
    std::size_t bytes;
  };
  /// Returns the first message that such a receive would get, if it is here.
  std::optional<found_message> find(const envelope& wanted) const;

  /// Says that a request is complete; one that its caller has freed ends.
  void complete(request& one);

  /// A service takes the packets of a context that are no messages.
  using service = std::function<void(const packet_header&, std::span<const std::byte> payload)>;
  void serve(std::uint32_t context, service take) { services_[context] = std::move(take); }
  void stop_serving(std::uint32_t context) { services_.erase(context); }
  /// Sends a packet to the service of its context at another rank; the payload is copied.
  void post(int to, const packet_header& header, std::span<const std::byte> payload);
  std::size_t most_payload() const noexcept { return wire_.most_payload(); }
  const wire& packets() const noexcept { return wire_; }
  /// Returns whether something goes on to other ranks without a call.
  bool has_to_send() const noexcept { return waiting_count_ > 0 || !parted_.empty(); }
  /// A memory_piece is bytes that lie together in the memory of a rank.
  struct memory_piece {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  /// Copies pieces of another rank's memory, one after the other, while that rank does what it
  /// does. Says whether all are there: the kernel may forbid it, and in virtual time nobody does
  /// it.
  bool read_memory(int world, std::span<const memory_piece> pieces, std::byte* to);
  /// Returns how many packets to a rank wait for room on the wire.
  std::size_t waiting_packets(int to) const {
    return waiting_[static_cast<std::size_t>(to)].size();
  }

  /// A waiting_message is here, or announced, and has found no receive.
  struct waiting_message {
    packet_header header;
    int world;
    std::vector<std::byte> payload;
  };
  /// Takes the first message that such a receive would get, so that no other receive gets it.
  std::optional<waiting_message> extract(const envelope& wanted);
  /// Begins to receive a message that was taken so.
  void start(request& one, const waiting_message& message);

  /// Takes back a receive that has found no message yet; says whether it could.
  bool withdraw(request& receive);
  /// Asks the receiver of a long message to forget it. The send is complete, and cancelled, where
  /// no receive has taken it before.
  void take_back(const request& sent);
  /// Leaves the job together with all ranks. Returns a line on each message that no receive took.
  std::vector<std::string> finish();

 private:
  /// A queue is what is unmatched in one context, in order.
  struct queue {
    std::vector<request*> receives;
    std::list<waiting_message> messages;
  };
  /// A begun_message lacks parts that its sender has sent, or will once there is room.
  struct begun_message {
    packet_header header;
    request* into = nullptr;       ///< its receive, or null where the message waits to be whole
    std::vector<std::byte> parts;  ///< those that have come of a message without a receive
  };
  /// An activity is a collective that goes on while its caller does something else.
  struct activity {
    activity(request& of, std::function<void()> what) : one(of), body(std::move(what)) {}
    request& one;
    fiber body;
  };
  struct waiting_packet {
    packet_header header;
    std::vector<std::byte> own;  ///< bytes of a packet that belongs to no request
    std::span<const std::byte> payload;
    request* sent;  ///< complete once the packet has left; null for none
    modelled_message stands_for;
  };

  /// Lets time pass by `idle`. In virtual time the rank has one time, and its threads take turns.
  template <class Idle>
  auto let_others_call(Idle&& idle) {
    if (least_granted_) return idle();
    // Calls of other threads have other names.
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

  /// Messages in a row are mostly of one context.
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
  queue* last_queue_ = nullptr;  ///< a queue stays where it is
  std::uint32_t last_context_ = 0;
  std::unordered_map<std::uint32_t, service> services_;
  std::vector<std::deque<waiting_packet>> waiting_;  ///< packets without room, by receiver
  std::size_t waiting_count_ = 0;
  std::vector<request*> parted_;  ///< sends whose parts are under way
  std::list<activity> activities_;
  std::vector<begun_message> begun_;  ///< by sender, which sends one at a time
  std::vector<std::int64_t> processes_;
  /// In virtual time, the bytes of the shortest message that waits for its receive.
  std::optional<std::uint64_t> least_granted_;
  deadlock_watch deadlocks_;
  bool reads_;  ///< the memory of other ranks can be read
  int failed_looks_ = 0;
  bool served_ = false;  ///< packets have come since a wait has looked
};

}  // namespace onehop::mpi_abi
