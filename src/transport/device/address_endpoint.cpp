#include "transport/device/address_endpoint.hpp"

#include <utility>

#include "base/text.hpp"

namespace onehop {
namespace {

/// The transport's calls run in the context of the memory that it is given.
template <class Work>
auto in_context(device::driver::context owner, const Work& work) {
  std::optional<device::entered> inside;
  if (owner != nullptr) inside.emplace(*device::driver::loaded(), owner);
  return work();
}

}  // namespace

address_endpoint::address_endpoint(const context& ctx, part mine)
    : ctx_(ctx), mine_(std::move(mine)) {
  if (on_device()) followed_.emplace(mine_.owner);
}

address_endpoint::~address_endpoint() { transport_of(ctx_).tasks().remove(*this); }

bool address_endpoint::start(std::uint64_t exchange) {
  if (exchange_ != exchange) {
    exchange_ = exchange;
    begun_ = fired_ = false;
    transport_of(ctx_).tasks().add(*this);
  }
  progress();
  return true;
}

bool address_endpoint::progress() {
  // Sources may be read, and the window written, once the stream has passed all that was on it at
  // start.
  begun_ = begun_ || !followed_ || followed_->reached();
  if (begun_ && !fired_)
    fired_ = in_context(mine_.owner, [&] { return mine_.runner->start(exchange_); });
  return !fired_;
}

bool address_endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return begun_ && mine_.runner->fired(put, exchange);
}

bool address_endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  progress();
  return begun_ &&
         in_context(mine_.owner, [&] { return mine_.runner->arrived(arrival, exchange); });
}

std::uint64_t address_endpoint::last_arrived(std::size_t arrival) const {
  return mine_.runner->last_arrived(arrival);
}

bool address_endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  progress();
  return begun_ &&
         in_context(mine_.owner, [&] { return mine_.runner->source_free(put, exchange); });
}

std::byte* address_endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  return mine_.runner->packing_memory(put, exchange);
}

std::string address_endpoint::describe(std::size_t put) const {
  const std::string carried = mine_.runner->describe(put);
  if (mine_.ends[put].empty()) return carried;
  const std::string how = text(mine_.ends[put], " by address: ", mine_.why, "; ", carried);
  if (mine_.why_host.empty()) return how;
  return text(how, "; the host waits, not the stream: ", mine_.why_host);
}

}  // namespace onehop
