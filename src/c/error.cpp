#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "c/handles.hpp"

namespace onehop::c {

std::size_t product(std::size_t count, std::size_t bytes, const char* call, const char* what) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all) || all > PTRDIFF_MAX)
    throw usage_error(text(call, ": ", count, " ", what, ", times ", bytes,
                           ", are more bytes than memory can have"));
  return all;
}

namespace {

/// This is the message of the thread's last error; it is empty if there was none, or no memory for
/// it.
thread_local std::string message;

void remember(const char* what) noexcept {
  try {
    message = what;
    std::ranges::replace(message, '\n', ' ');
  } catch (const std::exception&) {
    message.clear();
  }
}

int code_of(int code, const std::exception& error) noexcept {
  remember(error.what());
  return code;
}

}  // namespace

// Derived classes come before their bases.
int note_error() noexcept {
  try {
    throw;
  } catch (const chain_error& error) {
    return code_of(ONEHOP_CHAIN_ERROR, error);
  } catch (const usage_error& error) {
    return code_of(ONEHOP_USAGE_ERROR, error);
  } catch (const peer_error& error) {
    return code_of(ONEHOP_PEER_ERROR, error);
  } catch (const timeout_error& error) {
    return code_of(ONEHOP_TIMEOUT_ERROR, error);
  } catch (const resource_error& error) {
    return code_of(ONEHOP_RESOURCE_ERROR, error);
  } catch (const std::bad_alloc&) {
    remember("there is no memory left: take a smaller problem");
    return ONEHOP_RESOURCE_ERROR;
  } catch (const std::exception& error) {
    return code_of(ONEHOP_OTHER_ERROR, error);
  } catch (...) {
    remember("an exception that is not a std::exception");
    return ONEHOP_OTHER_ERROR;
  }
}

void refuse_null(const char* call, const char* what) {
  throw usage_error(text(call, ": ", what, " is NULL"));
}

}  // namespace onehop::c

const char* onehop_error_message(void) { return onehop::c::message.c_str(); }
