#include "netsim/engine/network.hpp"

#include <utility>

#include "netsim/engine/engine.hpp"

namespace onehop::netsim {

network::network(const machine_description& machine, listener& hears, queue_kind how) {
  machine.check();
  engine_ = std::make_unique<engine>(machine, hears, how);
}
network::~network() = default;
network::network(network&&) noexcept = default;
network& network::operator=(network&&) noexcept = default;

picoseconds network::now() const noexcept { return engine_->now(); }
void network::post(const message& what) { engine_->post(what); }
void network::alarm(picoseconds at, std::uint64_t token) { engine_->set_alarm(at, token); }
bool network::run_one() { return engine_->run_one(); }
void network::watch(std::function<void()> look) { engine_->watch(std::move(look)); }
void network::run() { engine_->run(); }
void network::check_conservation() const { engine_->check_conservation(); }
run_account network::account() const { return engine_->account(); }
std::vector<stage_account> network::stages() const { return engine_->stages(); }
std::vector<link_account> network::links() const { return engine_->links(); }
void network::record_trace() { engine_->record_trace(); }
void network::write_trace(std::ostream& out) const { engine_->write_trace(out); }

}  // namespace onehop::netsim
