#include <cstdint>
#include <exception>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <string>

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
/// Derived classes stand before their bases; a class travels as its index here.
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

struct outcome {
  std::uint32_t failed = 0;
  std::uint32_t class_index = 0;
  std::uint64_t message_bytes = 0;
};

outcome describe(const std::exception& failure, std::string& message) {
  outcome result{1, 0, 0};
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
  const std::vector<outcome> all = allgather(ctx, mine);
  int failing = 0;
  while (failing < ctx.size() && all[static_cast<std::size_t>(failing)].failed == 0) ++failing;
  if (failing == ctx.size()) return;
  const outcome& first = all[static_cast<std::size_t>(failing)];
  message.resize(first.message_bytes);
  rounds::broadcast(ctx, std::as_writable_bytes(std::span(message)), failing);
  if (failing == ctx.rank()) std::rethrow_exception(own);
  classes[first.class_index].raise(message);
}

}  // namespace onehop
