#include "benchmarks/peer.hpp"

#include <fstream>
#include <iterator>
#include <numeric>
#include <onehop/error.hpp>
#include <sstream>

#include "base/text.hpp"

namespace onehop::bench {
namespace {

class peer_contender final : public contender {
 public:
  peer_contender(peer& who, std::string method, std::size_t index, std::size_t bytes)
      : peer_(who), method_(std::move(method)), index_(index), bytes_(bytes) {}

  std::string name() const override { return peer_.name() + " " + method_; }
  std::string family() const override { return peer_.name(); }
  std::size_t bytes() const override { return bytes_; }
  std::string failure() const override { return peer_.failure(); }
  void fail(const std::string& why) override { peer_.fail(why); }
  std::uint64_t wrong() const override {
    const std::string reply = peer_.ask(text("wrong ", index_));
    return reply.empty() ? 0 : std::stoull(reply);
  }
  void run(std::uint64_t steps) override { time(steps); }
  void run_checked(std::uint64_t steps) override { peer_.ask(text("check ", index_, " ", steps)); }

  timed_block time(std::uint64_t steps) override {
    timed_block block{};
    std::istringstream reply(peer_.ask(text("time ", index_, " ", steps)));
    block.failed = !peer_.failure().empty();
    if (block.failed) return block;
    if (!(reply >> block.us >> block.disturbances))
      throw resource_error(text("peer ", peer_.name(), " answered '", reply.str(),
                                "' instead of a time: install onehop again"));
    return block;
  }

 private:
  peer& peer_;
  std::string method_;
  std::size_t index_, bytes_;
};

}  // namespace

peer::peer(std::string name, const std::string& folder, int rank)
    : name_(std::move(name)),
      folder_(folder),
      socket_(line_socket::connect_to(folder + "/" + std::to_string(rank))) {
  if (!socket_)
    throw resource_error(text("rank ", rank, " of peer ", name_, " does not answer in ", folder,
                              ": leave it out with --peers"));
}

std::string peer::ask(const std::string& line) {
  constexpr int patience_s = 30;
  std::string reply;
  if (!failure_.empty()) return {};
  if (socket_.write(line) && socket_.read(reply, patience_s)) return reply;
  fail(text("it has ended or hangs at '", line, "'", last_words()));
  return {};
}

std::string peer::last_words() const {
  std::ifstream told(folder_ + "/told");
  std::string line, last;
  while (std::getline(told, line))
    // MPICH puts lines of equals signs around its messages; these lines are skipped.
    if (!line.empty() && line.front() != '=') last = line;
  return last.empty() ? last : text(" (", last, ")");
}

std::vector<std::string> peer::methods(const std::string& pattern) {
  std::istringstream words(ask("methods " + pattern));
  return {std::istream_iterator<std::string>(words), {}};
}

std::unique_ptr<contender> peer::make(const std::string& pattern, const std::string& method,
                                      const std::vector<std::size_t>& face_bytes) {
  std::string line = text("make ", pattern, " ", method);
  for (const std::size_t bytes : face_bytes) line += text(" ", bytes);
  if (ask(line) != "ok") return nullptr;
  const auto bytes = std::accumulate(face_bytes.begin(), face_bytes.end(), std::size_t{0});
  return std::make_unique<peer_contender>(*this, method, made_++, bytes);
}

}  // namespace onehop::bench
