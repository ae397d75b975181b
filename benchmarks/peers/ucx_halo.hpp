#pragma once
/// This is the halo step over UCX: put and flag, and tagged messages.

#include <atomic>
#include <cstring>
#include <span>
#include <utility>

#include "benchmarks/peers/own_faces.hpp"
#include "benchmarks/peers/ucx_job.hpp"

namespace onehop::bench {

/// This is memory that the other ranks may write.
class ucx_memory {
 public:
  ucx_memory(ucx_job& job, std::size_t bytes) : job_(&job) {
    ucp_mem_map_params_t params{};
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    params.length = bytes;
    params.flags = UCP_MEM_MAP_ALLOCATE;
    check(ucp_mem_map(job.context(), &params, &handle_), "ucp_mem_map");
    ucp_mem_attr_t found{};
    found.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    check(ucp_mem_query(handle_, &found), "ucp_mem_query");
    base_ = static_cast<std::byte*>(found.address);
    std::memset(base_, 0, bytes);
    open_to_all();
  }
  ~ucx_memory() {
    if (handle_ == nullptr) return;
    job_->flush();
    job_->barrier();
    for (const remote& one : remotes_) ucp_rkey_destroy(one.key);
    ucp_mem_unmap(job_->context(), handle_);
  }
  ucx_memory(ucx_memory&& other) noexcept
      : job_(other.job_),
        handle_(std::exchange(other.handle_, nullptr)),
        base_(other.base_),
        remotes_(std::move(other.remotes_)) {}

  std::byte* at(std::size_t offset) const { return base_ + offset; }
  ucs_status_ptr_t put(const void* from, std::size_t bytes, int rank, std::size_t offset) const {
    const ucp_request_param_t none{};
    const remote& there = remotes_[static_cast<std::size_t>(rank)];
    return ucp_put_nbx(job_->to(rank), from, bytes, there.address + offset, there.key, &none);
  }

 private:
  struct remote {
    std::uint64_t address;
    ucp_rkey_h key;
  };
  void open_to_all() {
    void* packed = nullptr;
    std::size_t bytes = 0;
    check(ucp_rkey_pack(job_->context(), handle_, &packed, &bytes), "ucp_rkey_pack");
    std::string mine(reinterpret_cast<const char*>(&base_), sizeof base_);
    mine.append(static_cast<const char*>(packed), bytes);
    ucp_rkey_buffer_release(packed);
    const std::vector<std::string> all = job_->gather(mine);
    for (int rank = 0; rank < job_->size(); ++rank) {
      const std::string& theirs = all[static_cast<std::size_t>(rank)];
      remote& there = remotes_.emplace_back();
      std::memcpy(&there.address, theirs.data(), sizeof there.address);
      check(ucp_ep_rkey_unpack(job_->to(rank), theirs.data() + sizeof there.address, &there.key),
            "ucp_ep_rkey_unpack");
    }
  }

  ucx_job* job_;
  ucp_mem_h handle_ = nullptr;
  std::byte* base_ = nullptr;
  std::vector<remote> remotes_;
};

/// ucx_put_flag puts bytes into one of two banks, then a fence, then a flag: flag 0 is raised by
/// the previous rank, flag 1 by the next one.
class ucx_put_flag : public own_faces {
 public:
  ucx_put_flag(ucx_job& job, const ring_faces& faces)
      : own_faces(faces), job_(&job), memory_(job, 3 * area() + 2 * flag_stride) {}

  std::string name() const { return "put-flag"; }
  std::span<std::byte> sending(std::size_t f) const {
    return {memory_.at(2 * area() + offsets_[f]), faces_.bytes[f]};
  }
  std::span<const std::byte> received(std::size_t f) const {
    return {memory_.at(bank() + offsets_[f]), faces_.bytes[f]};
  }
  void start() {
    ++step_;
    for (std::size_t f = 0; f < faces_.count(); ++f)
      requests_.push_back(memory_.put(memory_.at(2 * area() + offsets_[f]), faces_.bytes[f],
                                      faces_.target(f), bank() + offsets_[f]));
    ucp_worker_fence(job_->worker());
    raise(0, faces_.after());
    if (faces_.size > 2) raise(1, faces_.before());
  }
  void wait() {
    await(0);
    if (faces_.size > 2) await(1);
    for (ucs_status_ptr_t one : requests_) job_->finish(one);
    requests_.clear();
  }

 private:
  static constexpr std::size_t flag_stride = 128;

  std::size_t bank() const { return step_ % 2 * area(); }
  std::size_t flag(std::size_t index) const { return 3 * area() + index * flag_stride; }
  void raise(std::size_t index, int rank) {
    requests_.push_back(memory_.put(&step_, sizeof step_, rank, flag(index)));
  }
  void await(std::size_t index) const {
    const std::atomic_ref seen(*reinterpret_cast<std::uint64_t*>(memory_.at(flag(index))));
    while (seen.load(std::memory_order_acquire) < step_) job_->progress();
  }

  ucx_job* job_;
  ucx_memory memory_;
  std::uint64_t step_ = 0;
  std::vector<ucs_status_ptr_t> requests_;
};

class ucx_tagged : public own_faces {
 public:
  ucx_tagged(ucx_job& job, const ring_faces& faces) : own_faces(faces), job_(&job) {}

  std::string name() const { return "tagged"; }
  void start() {
    const ucp_request_param_t none{};
    for (std::size_t f = 0; f < faces_.count(); ++f)
      requests_.push_back(ucp_tag_recv_nbx(job_->worker(), received_.at(offsets_[f]),
                                           faces_.bytes[f], tag(faces_.origin(f), f), ~ucp_tag_t{0},
                                           &none));
    for (std::size_t f = 0; f < faces_.count(); ++f)
      requests_.push_back(ucp_tag_send_nbx(job_->to(faces_.target(f)), sent_.at(offsets_[f]),
                                           faces_.bytes[f], tag(faces_.rank, f), &none));
  }
  void wait() {
    for (ucs_status_ptr_t one : requests_) job_->finish(one);
    requests_.clear();
  }

 private:
  static ucp_tag_t tag(int origin, std::size_t face) {
    return (static_cast<ucp_tag_t>(origin) << 16U) + face;
  }
  ucx_job* job_;
  std::vector<ucs_status_ptr_t> requests_;
};

}  // namespace onehop::bench
