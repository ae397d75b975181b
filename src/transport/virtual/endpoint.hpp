#pragma once
/// An endpoint is a rank's part in a chain on a virtual machine: it moves the bytes, and leaves it
/// to the conductor to say when they have come.

#include <memory>
#include <utility>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/virtual/chain_record.hpp"
#include "transport/virtual/conductor.hpp"

namespace onehop::virtual_machine {

class endpoint final : public onehop::endpoint {
 public:
  endpoint(std::shared_ptr<conductor> machine, chain_plan plan, int rank, memory_id window,
           memory_id own);

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override {
    return record_.puts()[put].fired == exchange;
  }
  bool arrived(std::size_t arrival, std::uint64_t exchange) override {
    note_look(looked_for_[arrival], exchange, {.what = call_site::arrival, .number = arrival});
    record_.watch();
    return record_.arrivals()[arrival].exchange[exchange % 2] == exchange;
  }
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override {
    return record_.arrivals()[arrival].bytes[exchange % 2];
  }
  bool source_free(std::size_t put, std::uint64_t exchange) override {
    record_.watch();
    return record_.puts()[put].free == exchange;
  }
  std::optional<bool> complete(std::uint64_t exchange) override {
    note_look(looked_for_all_, exchange, {.what = call_site::wait});
    return record_.complete(exchange);
  }
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t put) const override;
  std::string describe(std::size_t put) const override;

 private:
  /// Notes the first look of the rank's program for something in an exchange, whose last one was
  /// in `last`.
  void note_look(std::uint64_t& last, std::uint64_t exchange, call_site site) {
    if (std::exchange(last, exchange) == exchange) return;
    site.own = own_;
    machine_->note_call(rank_, site);
  }
  /// Returns whether the target has room for this put.
  bool has_room(std::size_t put, std::uint64_t exchange) const;
  void fire(std::size_t put, std::uint64_t exchange, bool first);
  std::byte* target_of(std::size_t put, std::uint64_t exchange) const;

  std::shared_ptr<conductor> machine_;
  chain_plan plan_;
  int rank_;
  memory_id window_, own_;
  chain_record& record_;
  std::vector<std::uint64_t>
      looked_for_;  ///< by arrival, in which exchange it was first looked for
  std::uint64_t looked_for_all_ = 0;
  std::size_t held_ = 0;  ///< number of puts that were held back when the program last started some
  std::vector<std::vector<std::byte>> staging_;  ///< memory of packed puts that may not be written
                                                 ///< ahead
};

}  // namespace onehop::virtual_machine
