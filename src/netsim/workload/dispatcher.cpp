#include "netsim/workload/dispatcher.hpp"

namespace onehop::netsim {

std::uint64_t dispatcher::enter(const flight& entry) {
  ++under_way_;
  if (unused_.empty()) return flights_.add(entry);
  const std::uint64_t token = unused_.back();
  unused_.pop_back();
  flights_[token] = entry;
  return token;
}

void dispatcher::close(std::uint64_t token) {
  if (--flights_[token].news_left > 0) return;
  --under_way_;
  unused_.push_back(token);
}

void dispatcher::send(message sent, receiver& who, std::uint32_t name) {
  if (sent.origin == sent.target && sent.origin_slot == sent.target_slot) {
    network_.alarm(network_.now(), enter({&who, name, true, 1}));
    return;
  }
  copy(sent, who, name);
}

void dispatcher::copy(message sent, receiver& who, std::uint32_t name) {
  sent.token = enter({&who, name, false, 2});
  network_.post(sent);
}

void dispatcher::remind(picoseconds at, receiver& who, std::uint32_t name) {
  network_.alarm(at, enter({&who, name, false, 1}));
}

void dispatcher::source_free(std::uint64_t token) {
  const flight here = flights_[token];
  close(token);
  here.who->source_free(here.name);
}

void dispatcher::delivered(std::uint64_t token) {
  const flight here = flights_[token];
  close(token);
  here.who->delivered(here.name);
}

void dispatcher::alarm(std::uint64_t token) {
  const flight here = flights_[token];
  close(token);
  if (!here.at_home) return here.who->reminded(here.name);
  here.who->source_free(here.name);
  here.who->delivered(here.name);
}

}  // namespace onehop::netsim
