#include "transport/virtual/messages.hpp"

namespace onehop::virtual_machine {

std::uint64_t post_office::enter(const flight& entry) {
  ++under_way_;
  if (unused_.empty()) {
    flights_.push_back(entry);
    return flights_.size() - 1;
  }
  const std::uint64_t token = unused_.back();
  unused_.pop_back();
  flights_[token] = entry;
  return token;
}

void post_office::close(std::uint64_t token) {
  if (--flights_[token].news_left > 0) return;
  --under_way_;
  unused_.push_back(token);
}

void post_office::send(netsim::message message, addressee& who, std::uint32_t what) {
  if (message.origin == message.target) {
    network_.alarm(network_.now(), enter({&who, what, true, 1}));
    return;
  }
  copy(message, who, what);
}

void post_office::copy(netsim::message message, addressee& who, std::uint32_t what) {
  message.token = enter({&who, what, false, 2});
  network_.post(message);
}

void post_office::remind(picoseconds at, addressee& who, std::uint32_t what) {
  network_.alarm(at, enter({&who, what, false, 1}));
}

void post_office::source_free(std::uint64_t token) {
  const flight here = flights_[token];
  close(token);
  here.who->source_free(here.what);
}

void post_office::delivered(std::uint64_t token) {
  const flight here = flights_[token];
  close(token);
  here.who->delivered(here.what);
}

void post_office::alarm(std::uint64_t token) {
  const flight here = flights_[token];
  close(token);
  if (!here.at_home) return here.who->reminded(here.what);
  here.who->source_free(here.what);
  here.who->delivered(here.what);
}

}  // namespace onehop::virtual_machine
