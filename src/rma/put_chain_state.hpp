#pragma once
#include <cstdint>
#include <onehop/put_chain.hpp>
#include <vector>

#include "rma/chain_check.hpp"
#include "rma/waiter.hpp"
#include "rma/window_state.hpp"

namespace onehop {

struct put_chain::state {
  context ctx;
  window target;
  std::vector<chain_entry> entries;
  std::vector<local_view> sources;
  std::vector<int> origins;

  std::uint64_t exchange = 0;  ///< the last one started
  bool in_flight = false;
  std::vector<std::uint64_t> seen;  ///< the last exchange in which each arrival was seen
  chain_plan plan;
  std::shared_ptr<exposed_memory> memory;
  std::unique_ptr<engine> runner;  ///< null until commit

  /// Throw usage_error when the call comes out of order.
  void require_open(std::string_view call) const;
  void require_committed(std::string_view call) const;
  void require_started(std::string_view call) const;
  std::size_t checked(put_slot slot) const;
  std::size_t checked(notification arrival) const;

  chain_description gather() const;
  bool here(std::size_t arrival);
  bool complete();
  wait_report unfired() const;
  wait_report absent() const;
};

}  // namespace onehop
