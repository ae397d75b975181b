#include "transport/virtual/run.hpp"

#include <onehop/error.hpp>
#include <system_error>
#include <thread>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "transport/device/transport.hpp"
#include "transport/virtual/transport.hpp"

namespace onehop::virtual_machine {

ranks::ranks(int count, machine on)
    : machine_(std::make_shared<thread_conductor>(count, std::move(on))) {}

onehop::context ranks::join(int rank) const {
  onehop::context joined(std::make_shared<transport>(machine_, rank));
  joined.set_deadline(environment::read().deadline);
  // The channels are there so that memory of devices is recognised, and refused.
  transport_of(joined).set_device_channels(make_device_channels());
  return joined;
}

void ranks::stall(int rank, const std::string& waited) {
  if (!shared().failure.empty()) return;
  waits_ += waits_.empty() ? nothing_under_way(shared()) : "; ";
  waits_ += waited;
  machine_->threads().stall(rank);
}

void ranks::fail(int rank, const std::string& reason) {
  // Among the ranks that follow a stalled one, only those matter that say whom they wait for.
  if (!has_stalled()) machine_->abandon(rank, reason);
}

void ranks::leave(int rank) {
  machine_->leave(rank);
  machine_->threads().finish(rank);
}

namespace {

void play(ranks& all, int rank, const std::function<void(onehop::context)>& body,
          std::exception_ptr& first) {
  if (!all.enter(rank)) return;
  try {
    body(all.join(rank));
  } catch (const timeout_error& late) {
    if (!first) first = std::current_exception();
    all.stall(rank, late.what());
  } catch (const std::exception& thrown) {
    if (!first) first = std::current_exception();
    all.fail(rank, thrown.what());
  } catch (...) {
    if (!first) first = std::current_exception();
    all.fail(rank, "an exception that is not a std::exception");
  }
  all.leave(rank);
}

}  // namespace

void run(int count, const machine& on, const std::function<void(onehop::context)>& body) {
  ranks all(count, on);
  std::exception_ptr first;
  std::vector<std::jthread> threads;
  try {
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] { play(all, rank, body, first); });
  } catch (const std::system_error& refused) {
    all.cancel();
    threads.clear();
    throw resource_error(text("cannot start a thread: ", refused.what(), "; use fewer ranks"));
  }
  all.begin();
  threads.clear();
  if (!all.deadlock().empty()) throw timeout_error(all.deadlock());
  if (first) std::rethrow_exception(first);
}

}  // namespace onehop::virtual_machine
