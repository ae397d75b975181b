#include <cstdint>
#include <cstring>
#include <exception>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <string>
#include <utility>

#include "rma/chain_refusal.hpp"
#include "rma/rounds.hpp"

namespace onehop {
namespace {

using thrower = void (*)(const std::string&);
template <class Error>
bool is(const std::exception& failure) {
  return dynamic_cast<const Error*>(&failure) != nullptr;
}
template <class Error>
[[noreturn]] void raise(const std::string& message) {
  throw Error(message);
}

struct error_class {
  bool (*matches)(const std::exception&);
  thrower raise;
};
/// Derived classes precede their bases, and a class travels as its index in this list.
constexpr error_class classes[] = {
    {is<chain_error>, raise<chain_error>},
    {is<usage_error>, raise<usage_error>},
    {is<checksum_error>, raise<checksum_error>},
    {is<file_error>, raise<file_error>},
    {is<peer_error>, raise<peer_error>},
    {is<timeout_error>, raise<timeout_error>},
    {is<resource_error>, raise<resource_error>},
    {is<numeric_error>, raise<numeric_error>},
    {[](const std::exception&) { return true; }, raise<error>},
};

/// Every rank reports the failure of the lowest order, and among equal orders that of the lowest
/// rank.
constexpr std::uint32_t none = UINT32_MAX, any = UINT32_MAX - 1;

struct outcome {
  std::uint32_t order = none;
  std::uint32_t class_index = 0;
  std::uint64_t message_bytes = 0;
};

outcome describe(const std::exception& failure, std::string& message) {
  outcome result{any, 0, 0};
  if (const auto* refused = dynamic_cast<const chain_refusal*>(&failure))
    result.order = refused->order;
  while (!classes[result.class_index].matches(failure)) ++result.class_index;
  message = failure.what();
  result.message_bytes = message.size();
  return result;
}

}  // namespace

void together(const context& ctx, const std::function<void()>& check) {
  outcome mine;
  std::string message;
  std::exception_ptr own;
  try {
    check();
  } catch (const std::exception& failure) {
    mine = describe(failure, message);
    own = std::current_exception();
  }
  outcome first;
  int failing = 0;
  rounds::round(ctx, make_tag(operation::allgather, sizeof mine),
                std::as_bytes(std::span(&mine, 1)), [&](int rank, const std::byte* said) {
                  outcome theirs;
                  std::memcpy(&theirs, said, sizeof theirs);
                  const auto place = std::pair(theirs.order, rank);
                  if (theirs.order == none || place > std::pair(first.order, failing)) return;
                  first = theirs;
                  failing = rank;
                });
  if (first.order == none) return;
  message.resize(first.message_bytes);
  rounds::broadcast(ctx, std::as_writable_bytes(std::span(message)), failing);
  // A refusal that was ordered among those of other ranks is new to its own rank too, and is
  // rethrown there as a plain error of its class.
  if (failing == ctx.rank() && first.order == any) std::rethrow_exception(own);
  classes[first.class_index].raise(message);
}

}  // namespace onehop
