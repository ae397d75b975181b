#include "transport/device/stream_endpoint.hpp"

#include <chrono>
#include <onehop/error.hpp>
#include <thread>

#include "base/text.hpp"
#include "rma/waiter.hpp"

namespace onehop {
namespace {

constexpr std::uint32_t values[] = {1, 2};

std::uint32_t value_of(std::uint64_t exchange) { return values[exchange % 2]; }

}  // namespace

stream_endpoint::stream_endpoint(const context& ctx, part mine)
    : ctx_(ctx), mine_(std::move(mine)), awaited_(mine_.origins.size()) {
  if (on_device()) device_.emplace(mine_.owner);
}

stream_endpoint::~stream_endpoint() {
  try {
    wait_until(
        ctx_, [&] { return stream_passed() && (!sends_ || device_->sent.reached()); },
        [&] {
          wait_report wait{"for a device to leave a put chain", {}};
          for (const auto& [rank, what] : waited_for()) wait.missing.push_back({rank, what});
          return wait;
        });
  } catch (const error&) {
    release();
  }
}

bool stream_endpoint::is_recorded() const {
  const device::driver& known = *device::driver::loaded();
  const device::entered inside(known, mine_.owner);
  int status = 0;
  known.require(known.is_capturing(stream_, &status), "cuStreamIsCapturing");
  return status != 0;
}

void stream_endpoint::follow(void* stream) {
  stream_ = static_cast<device::driver::stream>(stream);
  device_->begun.set(stream_);
  device_->out.follow(device_->begun);
}

bool stream_endpoint::start(std::uint64_t exchange) {
  exchange_ = exchange;
  awaited_.assign(awaited_.size(), false);
  joined_ = !on_device();
  if (!on_device()) return true;
  const std::uint32_t value = value_of(exchange);
  const device::driver::stream out = device_->out.get();
  // The words for which other ranks wait are written first.
  for (const stream_word& word : mine_.link.arrivals) device_->words.write(out, word.there, value);
  for (std::size_t put = 0; put < mine_.sources.size(); ++put) {
    const stream_word& word = mine_.link.puts[put];
    const local_view& source = mine_.sources[put];
    device_->words.await(out, word.here, value);
    device_->out.copy(view_of(source, mine_.packings[put]), source.bytes(), mine_.windows[put]);
    device_->words.write(out, word.there, value);
  }
  device_->out.mark(device_->sent);
  sends_ = !is_recorded();
  return true;
}

bool stream_endpoint::arrived(std::size_t arrival, std::uint64_t) {
  if (awaited_[arrival]) return true;
  device_->words.await(stream_, mine_.link.arrivals[arrival].here, value_of(exchange_));
  awaited_[arrival] = true;
  return true;
}

bool stream_endpoint::source_free(std::size_t, std::uint64_t) {
  if (!joined_) device_->sent.lead(stream_);
  joined_ = true;
  return true;
}

void stream_endpoint::completed() {
  if (!on_device()) return;
  // A rank that only receives must still wait for its grants to leave.
  source_free(0, exchange_);
  // The end of a recorded exchange is passed only in replays; the exchange before it may still have
  // to pass its end.
  if (is_recorded()) return;
  ends_ = true;
  device_->passed.set(stream_);
}

bool stream_endpoint::stream_passed() { return !ends_ || device_->passed.reached(); }

std::vector<std::pair<int, std::string>> stream_endpoint::waited_for() {
  std::vector<std::pair<int, std::string>> found;
  if (!on_device()) return found;
  const std::size_t puts = mine_.sources.size();
  const auto seen = read_words(mine_.owner, *mine_.link.own, puts + mine_.origins.size());
  for (std::size_t word = 0; word < seen.size(); ++word) {
    if (seen[word] == value_of(exchange_)) continue;
    const bool granted = word < puts;
    const std::size_t number = granted ? word : word - puts;
    const int rank = granted ? mine_.targets[number] : mine_.origins[number];
    found.emplace_back(
        rank, granted ? text("put ", number, " has not been granted by the stream of rank ", rank)
                      : text("notification ", number,
                             " has not been written by the device of rank ", rank));
  }
  return found;
}

void stream_endpoint::release() noexcept {
  if (!on_device()) return;
  constexpr int most_rounds = 10'000;
  try {
    const std::size_t words = mine_.sources.size() + mine_.origins.size();
    for (int round = 0; round < most_rounds; ++round) {
      if (stream_passed() && (!sends_ || device_->sent.reached())) return;
      // Each round lets one more of the enqueued exchanges go on.
      fill_words(mine_.owner, *mine_.link.own, words, values[round % 2]);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  } catch (const error&) {
    // The device has failed, and a destructor cannot report that.
  }
}

std::string stream_endpoint::describe(std::size_t put) const {
  const std::string& rows = mine_.packings[put].why;
  return text(
      "from a device's memory to a device's memory, ",
      mine_.targets[put] == ctx_.rank()
          ? "written by this rank's device into its own memory"
          : "cuda_ipc: written by this rank's device into the other's memory, which was opened and "
            "tried at commit",
      rows.empty() ? "" : "; ", rows,
      "; granted and notified from stream to stream by words in the devices' memory, without the "
      "host");
}

}  // namespace onehop
