#pragma once
/// A ucx_job is the ranks of a job over UCX. They are started one by one and find each other
/// through files in a folder.

#include <sched.h>
#include <ucp/api/ucp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace onehop::bench {

[[noreturn]] inline void give_up(const std::string& what) {
  std::fprintf(stderr, "ucx_peer: %s\n", what.c_str());
  std::_Exit(2);
}
inline void check(ucs_status_t status, const char* call) {
  if (status != UCS_OK) give_up(std::string(call) + ": " + ucs_status_string(status));
}

class ucx_job {
 public:
  ucx_job(std::string folder, int rank, int size, bool crowded)
      : folder_(std::move(folder)), rank_(rank), size_(size), crowded_(crowded) {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_RMA | UCP_FEATURE_TAG;
    ucp_config_t* config = nullptr;
    check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    check(ucp_init(&params, config, &context_), "ucp_init");
    ucp_config_release(config);
    ucp_worker_params_t how{};
    how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    how.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context_, &how, &worker_), "ucp_worker_create");
    connect();
  }
  ucx_job(const ucx_job&) = delete;
  ucx_job& operator=(const ucx_job&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  ucp_context_h context() const { return context_; }
  ucp_worker_h worker() const { return worker_; }
  ucp_ep_h to(int rank) const { return ends_[static_cast<std::size_t>(rank)]; }

  /// UCX itself never yields, which is necessary with fewer cores than ranks.
  void progress() const {
    if (ucp_worker_progress(worker_) == 0 && crowded_) sched_yield();
  }
  void finish(ucs_status_ptr_t request) const {
    if (request == nullptr) return;
    if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "request");
    while (ucp_request_check_status(request) == UCS_INPROGRESS) progress();
    ucp_request_free(request);
  }
  void flush() const {
    const ucp_request_param_t none{};
    finish(ucp_worker_flush_nbx(worker_, &none));
  }
  /// Gathers every rank's bytes, in rank order; it is slow.
  std::vector<std::string> gather(const std::string& mine) {
    const std::string round = folder_ + "/meet." + std::to_string(rounds_++) + ".";
    const std::string name = round + std::to_string(rank_);
    std::ofstream(name + ".part", std::ios::binary) << mine;
    std::filesystem::rename(name + ".part", name);
    std::vector<std::string> all;
    for (int rank = 0; rank < size_; ++rank) all.push_back(read(round + std::to_string(rank)));
    return all;
  }
  /// Makes a barrier from empty messages to rank 0 and back.
  void barrier() const {
    if (rank_ != 0) return send(0), receive(0);
    for (int rank = 1; rank < size_; ++rank) receive(rank);
    for (int rank = 1; rank < size_; ++rank) send(rank);
  }

 private:
  static constexpr ucp_tag_t barrier_tag = ucp_tag_t{1} << 32U;

  void connect() {
    ucp_address_t* address = nullptr;
    std::size_t bytes = 0;
    check(ucp_worker_get_address(worker_, &address, &bytes), "ucp_worker_get_address");
    const std::string mine(reinterpret_cast<const char*>(address), bytes);
    ucp_worker_release_address(worker_, address);
    for (const std::string& theirs : gather(mine)) {
      ucp_ep_params_t params{};
      params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
      params.address = reinterpret_cast<const ucp_address_t*>(theirs.data());
      check(ucp_ep_create(worker_, &params, &ends_.emplace_back()), "ucp_ep_create");
    }
  }
  /// It makes progress while it waits, because messages of other ranks may not be complete yet.
  std::string read(const std::string& name) const {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!std::filesystem::exists(name)) {
      if (std::chrono::steady_clock::now() > end) give_up(name + " did not come within 30 s");
      progress();
      std::this_thread::sleep_for(1ms);
    }
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void send(int to_rank) const {
    const ucp_request_param_t none{};
    finish(ucp_tag_send_nbx(to(to_rank), nullptr, 0, barrier_tag + static_cast<ucp_tag_t>(rank_),
                            &none));
  }
  void receive(int from) const {
    const ucp_request_param_t none{};
    finish(ucp_tag_recv_nbx(worker_, nullptr, 0, barrier_tag + static_cast<ucp_tag_t>(from),
                            ~ucp_tag_t{0}, &none));
  }

  std::string folder_;
  int rank_, size_, rounds_ = 0;
  bool crowded_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::vector<ucp_ep_h> ends_;
};

}  // namespace onehop::bench
