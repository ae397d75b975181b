#include "mpi/engine.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {
namespace {

std::string words(const envelope& of) {
  return text(of.tag == any_tag ? std::string("any tag") : text("tag ", of.tag));
}

std::vector<std::int64_t> process_numbers(const context& ctx) {
  // This exchange takes no virtual time, since a real machine's launcher would give the numbers to
  // the library.
  transport_of(ctx).free_rounds(true);
  std::vector<std::int64_t> numbers = allgather(ctx, std::int64_t{getpid()});
  transport_of(ctx).free_rounds(false);
  return numbers;
}

}  // namespace

engine::engine(const context& ctx)
    : ctx_(ctx),
      wire_(ctx),
      waiting_(static_cast<std::size_t>(ctx.size())),
      begun_(static_cast<std::size_t>(ctx.size())),
      processes_(process_numbers(ctx)),
      least_granted_(transport_of(ctx).least_granted_bytes()),
      deadlocks_(*this, !least_granted_),
      reads_(!least_granted_) {
#ifdef PR_SET_PTRACER
  // Some kernels let only a parent read a process's memory unless the process names others, which
  // this does. On other kernels the call fails without harm.
  if (reads_) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
}

void engine::reset(request& one) {
  one.active = true;
  one.complete = false;
  one.announced = false;
  one.error = success;
  one.moved = 0;
  one.status = empty_status();
}

void engine::start(request& one) {
  reset(one);
  if (one.begin) {
    try {
      one.begin(one);
    } catch (...) {
      one.active = false;
      throw;
    }
    return;
  }
  if (one.peer == proc_null) {
    one.status.MPI_SOURCE = proc_null;
    complete(one);
    return;
  }
  one.world = one.peer == any_source ? any_source : one.comm->peer(one.peer);
  if (one.sends)
    start_send(one);
  else
    start_receive(one);
}

void engine::start_send(request& one) {
  one.bytes = one.room();
  if (one.packs()) one.type->pack(one.buffer, one.count, one.data);
  packet_header header{.what = packet_header::eager,
                       .context = one.context,
                       .source = one.comm->label(one.comm->rank()),
                       .tag = one.tag,
                       .bytes = one.bytes,
                       .receiver = std::bit_cast<std::uint64_t>(one.call)};
  if (goes_at_once(one)) return send_whole(one, header);
  header.what = packet_header::ready_to_send;
  one.announced = true;
  header.sender = token_of(&one);
  header.place = token_of(one.data);
  send(one.world, header, {}, nullptr, {modelled_message::request, one.bytes});
}

/// In virtual time the machine decides which messages wait for their receives.
bool engine::goes_at_once(const request& one) const noexcept {
  if (one.synchronous) return false;
  return least_granted_ ? one.bytes < *least_granted_ : one.bytes <= wire_.most_at_once();
}

void engine::send_whole(request& one, packet_header header) {
  const std::size_t most = wire_.most_of_part(one.bytes);
  std::span<const std::byte> left{one.data, one.bytes};
  // In virtual time the last part represents the whole message, so that it cannot arrive too early.
  for (; left.size() > most; left = left.subspan(most), header.what = packet_header::more)
    send(one.world, header, left.first(most), nullptr, {modelled_message::nothing});
  send(one.world, header, left, &one, {modelled_message::message, one.bytes});
}

void engine::start_receive(request& one) {
  queue& unmatched = queue_of(one.context);
  if (unmatched.messages.empty())
    unmatched.receives.push_back(&one);
  else if (const auto message = extract(one.wanted()))
    accept(one, message->world, message->header, message->payload);
  else
    unmatched.receives.push_back(&one);
}

std::optional<engine::waiting_message> engine::extract(const envelope& wanted) {
  std::list<waiting_message>& messages = queue_of(wanted.context).messages;
  const auto found = std::ranges::find_if(messages, [&](const waiting_message& message) {
    return wanted.takes({message.header.context, message.header.source, message.header.tag});
  });
  if (found == messages.end()) return std::nullopt;
  std::optional<waiting_message> taken(std::move(*found));
  messages.erase(found);
  return taken;
}

void engine::start(request& one, const waiting_message& message) {
  reset(one);
  accept(one, message.world, message.header, message.payload);
}

void engine::send(int to, const packet_header& header, std::span<const std::byte> payload,
                  request* sent, const modelled_message& stands_for) {
  if (to == ctx_.rank()) {
    take(to, header, payload);
    if (sent != nullptr) complete(*sent);
    return;
  }
  auto& before = waiting_[static_cast<std::size_t>(to)];
  if (before.empty() && wire_.try_send(to, header, payload, stands_for)) {
    if (sent != nullptr) complete(*sent);
    return;
  }
  before.push_back({header, {}, payload, sent, stands_for});
  ++waiting_count_;
}

void engine::post(int to, const packet_header& header, std::span<const std::byte> payload) {
  auto& before = waiting_[static_cast<std::size_t>(to)];
  const std::size_t waited = before.size();
  send(to, header, payload, nullptr, {modelled_message::message, payload.size()});
  if (before.size() == waited) return;
  waiting_packet& last = before.back();
  last.own.assign(payload.begin(), payload.end());
  last.payload = last.own;
}

void engine::send_waiting() {
  for (std::size_t to = 0; waiting_count_ > 0 && to < waiting_.size(); ++to)
    while (!waiting_[to].empty()) {
      const waiting_packet& next = waiting_[to].front();
      if (!wire_.try_send(static_cast<int>(to), next.header, next.payload, next.stands_for)) break;
      request* const sent = next.sent;
      waiting_[to].pop_front();
      --waiting_count_;
      if (sent != nullptr) complete(*sent);
    }
}

void engine::send_parts() {
  for (std::size_t i = 0; i < parted_.size();) {
    request& one = *parted_[i];
    while (one.moved < one.bytes) {
      const std::size_t bytes = std::min(one.bytes - one.moved, wire_.most_of_part(one.bytes));
      const packet_header header{.what = packet_header::data,
                                 .bytes = one.bytes,
                                 .receiver = one.partner,
                                 .place = one.moved};
      // In virtual time the last part represents all the data, so that none of them arrive too
      // early.
      const bool last = one.moved + bytes == one.bytes;
      const auto part = last ? modelled_message::data : modelled_message::nothing;
      if (!wire_.try_send(one.world, header, {one.data + one.moved, bytes}, {part, one.bytes}))
        break;
      one.moved += bytes;
    }
    if (one.moved < one.bytes) {
      ++i;
      continue;
    }
    parted_.erase(parted_.begin() + static_cast<std::ptrdiff_t>(i));
    complete(one);
  }
}

void engine::progress() {
  wire_.poll([this](int from, const packet_header& header, std::span<const std::byte> payload) {
    take(from, header, payload);
  });
  if (waiting_count_ > 0) send_waiting();
  if (!parted_.empty()) send_parts();
  if (!activities_.empty()) advance_activities();
}

void engine::carry_out(request& one, const std::function<void()>& body) {
  activities_.emplace_back(one, [&one, body] {
    try {
      body();
    } catch (const mpi_error& error) {
      one.error = error.code;
      one.why = error.what();
    } catch (...) {
      end_job();
    }
  });
  advance_activities();
}

// Collectives are resumed until none can advance, since each that advances may unblock another. A
// function of the caller may call this again meanwhile; the inner call skips running collectives.
void engine::advance_activities() {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto here = activities_.begin(); here != activities_.end();) {
      if (here->body.ready()) {
        moved = true;
        here->body.resume();
      }
      if (!here->body.ended()) {
        ++here;
        continue;
      }
      request& one = here->one;
      here = activities_.erase(here);
      complete(one);
    }
  }
}

std::vector<missing_piece> engine::missing(const request& one) const {
  for (const activity& other : activities_)
    if (&other.one == &one) return other.body.missing();
  return one.comm->missing(one);
}

void engine::end_if_none_goes_on(deadlock_watch::waiting_thread& mine,
                                 const deadlock_watch::report& report) {
  // No object is destroyed first, since a destructor may wait for a message that will never arrive.
  if (const auto line = deadlocks_.look_around(mine, report)) end_with(timeout_error(*line));
}

void engine::wait(request& one) {
  if (one.complete) return;
  wait([&] { return one.complete; }, [&] { return missing(one); });
}

bool engine::look(const std::function<bool()>& is_there) {
  transport_of(ctx_).progress();
  progress();
  if (is_there()) {
    failed_looks_ = 0;
    return true;
  }
  // If ranks share cores, the other ranks run now; in virtual time, time passes here. The more
  // often a rank has looked in vain, the longer it lets the others run.
  if (transport_of(ctx_).crowded()) {
    const std::chrono::nanoseconds longest(100 << std::min(failed_looks_++, 7));
    let_others_call([&] { return clock_of(ctx_).idle(0, clock_of(ctx_).now() + longest); });
    progress();
  } else if (calls().shared()) {
    let_others_call(sched_yield);
  }
  return is_there();
}

std::optional<engine::found_message> engine::find(const envelope& wanted) const {
  const auto unmatched = queues_.find(wanted.context);
  if (unmatched == queues_.end()) return std::nullopt;
  for (const waiting_message& message : unmatched->second.messages)
    if (wanted.takes({message.header.context, message.header.source, message.header.tag}))
      return found_message{message.header.source, message.header.tag, message.header.bytes};
  return std::nullopt;
}

bool engine::withdraw(request& receive) {
  std::vector<request*>& receives = queue_of(receive.context).receives;
  if (std::erase(receives, &receive) == 0) return false;
  complete(receive);
  return true;
}

void engine::take_back(const request& sent) {
  if (!sent.announced || sent.complete) return;
  send(sent.world,
       {.what = packet_header::cancel, .context = sent.context, .sender = token_of(&sent)}, {},
       nullptr, {modelled_message::nothing});
}

std::vector<std::string> engine::finish() {
  const auto nothing = [] { return std::vector<missing_piece>(); };
  wait([&] { return !has_to_send(); }, nothing);
  wait([&] { return wire_.try_close(); }, nothing);
  wait([&] { return wire_.ended(); }, nothing);
  std::vector<std::string> lines;
  for (const auto& [number, unmatched] : queues_)
    for (const waiting_message& message : unmatched.messages)
      lines.push_back(text("no receive took a message of ", message.header.bytes,
                           " bytes from rank ", message.header.source, " with ",
                           words({number, message.header.source, message.header.tag})));
  barrier(ctx_);
  return lines;
}

}  // namespace onehop::mpi_abi
