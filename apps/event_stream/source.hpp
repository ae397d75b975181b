#pragma once
/// A source is a read-out board. It plays the events of the table at the times when they happen,
/// and sends its fragments of them.

#include "decision_log.hpp"
#include "event_table.hpp"
#include "settings.hpp"

#include <vector>

namespace event_stream {

struct source_account {
  std::uint64_t events = 0, bytes = 0;
  std::uint64_t back_pressure_ns = 0;  ///< time in which no receiver had room for a datagram
};

class source {
 public:
  /// `log` takes the decisions at the first source in the meantime; it is null at other sources.
  source(const event_table& table, const stream_settings& how, int number,
         std::unique_ptr<datagram_sender> out, decision_log* log);

  /// Sends all events; the first source also takes all decisions.
  source_account run(const run_clock& clock);

 private:
  struct open_datagram {
    datagram_sender::datagram place;
    std::size_t used = 0;
    std::uint64_t since_ns = 0;  ///< time stamp of its first event
    bool open() const noexcept { return !place.bytes.empty(); }
  };

  void wait_until(std::uint64_t due_ns, const run_clock& clock);
  void write(std::uint64_t event, std::uint64_t time_ns, const run_clock& clock);
  void open(open_datagram& one, int receiver, const run_clock& clock);
  void send(open_datagram& one);
  std::uint64_t send_old();
  void listen(const run_clock& clock);
  void finish(const run_clock& clock);

  const event_table& table_;
  stream_settings how_;
  int number_;
  std::unique_ptr<datagram_sender> out_;
  decision_log* log_;
  std::vector<seen_hits> seen_;  ///< by place in the table
  std::vector<std::byte> payload_;
  std::vector<open_datagram> datagrams_;  ///< by consumer; one if they share by load
  std::uint64_t gather_ns_, now_ns_ = 0;
  bool decisions_come_ = false;
  source_account account_;
};

}  // namespace event_stream
