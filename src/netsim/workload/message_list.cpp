#include "netsim/workload/message_list.hpp"

#include <algorithm>
#include <numeric>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"

namespace onehop::netsim {

message_list_run::message_list_run(const machine_description& machine, message_list what,
                                   queue_kind how)
    : what_(std::move(what)),
      net_(machine, *this, how),
      freed_(what_.messages.size(), never),
      arrived_(what_.messages.size(), never) {
  const auto count = what_.messages.size();
  if (what_.first_after.empty()) what_.first_after.assign(count + 1, 0);
  if (what_.delay.empty()) what_.delay.assign(count, 0);
  if (what_.delay.size() != count || what_.first_after.size() != count + 1)
    throw usage_error(text("message list: ", count, " messages, but ", what_.delay.size(),
                           " delays and ", what_.first_after.size(),
                           " starts of waits; there must "
                           "be as many delays and one start more"));
  if (!std::is_sorted(what_.first_after.begin(), what_.first_after.end()) ||
      what_.first_after.front() != 0 || what_.first_after.back() != what_.after.size())
    throw usage_error("message list: the starts of waits must rise from 0 to the number of waits");
  for (const auto delay : what_.delay)
    if (delay < 0) throw usage_error("message list: a delay is negative");
  count_waits();
}

void message_list_run::count_waits() {
  const auto count = what_.messages.size();
  waits_for_.resize(count);
  first_next_.assign(2 * count + 1, 0);
  next_.resize(what_.after.size());
  for (const auto before : what_.after) {
    if (before >= 2 * count)
      throw usage_error(
          text("message list: of ", count, " messages, there is no ", before, " to wait for"));
    ++first_next_[before + 1];
  }
  std::partial_sum(first_next_.begin(), first_next_.end(), first_next_.begin());
  auto place = first_next_;
  for (std::uint32_t k = 0; k < count; ++k) {
    waits_for_[k] = what_.first_after[k + 1] - what_.first_after[k];
    for (auto each = what_.first_after[k]; each < what_.first_after[k + 1]; ++each)
      next_[place[what_.after[each]]++] = k;
  }
}

picoseconds message_list_run::run() {
  for (std::uint32_t k = 0; k < waits_for_.size(); ++k)
    if (waits_for_[k] == 0) net_.alarm(what_.delay[k], k);
  net_.run();
  const auto stuck = std::find(arrived_.begin(), arrived_.end(), never);
  if (stuck != arrived_.end())
    throw usage_error(text("message list: message ", stuck - arrived_.begin(),
                           " waits for itself by way of others"));
  return net_.now();
}

void message_list_run::source_free(std::uint64_t token) {
  freed_[token] = net_.now();
  pass(what_.messages.size() + token);
}

void message_list_run::delivered(std::uint64_t token) {
  arrived_[token] = net_.now();
  pass(token);
}

void message_list_run::pass(std::uint64_t what) {
  for (auto each = first_next_[what]; each < first_next_[what + 1]; ++each) {
    const auto k = next_[each];
    if (--waits_for_[k] == 0) net_.alarm(net_.now() + what_.delay[k], k);
  }
}

void message_list_run::alarm(std::uint64_t token) {
  auto one = what_.messages[token];
  one.token = token;
  net_.post(one);
}

}  // namespace onehop::netsim
