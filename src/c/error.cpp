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

/// This is the message of the thread's last error; it is empty where there was none, or no memory
/// for it.
thread_local std::string message;

void remember(const char* what) noexcept {
  try {
    message = what;
    std::ranges::replace(message, '\n', ' ');
  } catch (const std::exception&) {
    message.clear();
  }
}

template <class Error>
bool is_about(const Error& error, int code, int& result) noexcept {
  remember(error.what());
  result = code;
  return true;
}

}  // namespace

// Derived classes come before their bases.
int note_error() noexcept {
  int code = ONEHOP_OTHER_ERROR;
  try {
    throw;
  } catch (const chain_error& error) {
    is_about(error, ONEHOP_CHAIN_ERROR, code);
  } catch (const usage_error& error) {
    is_about(error, ONEHOP_USAGE_ERROR, code);
  } catch (const peer_error& error) {
    is_about(error, ONEHOP_PEER_ERROR, code);
  } catch (const timeout_error& error) {
    is_about(error, ONEHOP_TIMEOUT_ERROR, code);
  } catch (const resource_error& error) {
    is_about(error, ONEHOP_RESOURCE_ERROR, code);
  } catch (const std::bad_alloc&) {
    remember("there is no memory left: take a smaller problem");
    code = ONEHOP_RESOURCE_ERROR;
  } catch (const std::exception& error) {
    is_about(error, ONEHOP_OTHER_ERROR, code);
  } catch (...) {
    remember("an exception that is no std::exception");
  }
  return code;
}

void refuse_null(const char* call, const char* what) {
  throw usage_error(text(call, ": ", what, " is NULL"));
}

}  // namespace onehop::c

const char* onehop_error_message(void) { return onehop::c::message.c_str(); }
