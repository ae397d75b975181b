#pragma once
#include "transport/mpi/device_support.hpp"
#include "transport/mpi/transport.hpp"
#include "transport/mpi_p2p/region.hpp"

namespace onehop::mpi_p2p {

/// This transport serves a rank that exchanges with persistent MPI messages.
class transport final : public mpi::transport {
 public:
  explicit transport(const mpi::job& where, mpi::notices* whole = nullptr)
      : mpi::transport(where, "mpi_p2p", whole) {}

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override {
    return windows_.expose(bytes_of_rank, rank());
  }
  std::optional<memory_id> expose_existing(std::span<std::byte> mine) override {
    return windows_.expose_existing(mine);
  }
  void withdraw(memory_id memory) noexcept override {
    windows_.withdraw(memory);
    free_group(memory);
  }
  std::span<std::byte> local(memory_id memory) const override { return windows_.local(memory); }

  device_support devices() const override { return mpi::query_device_support(); }

  // Messages carry all that the endpoint needs.
  std::size_t endpoint_bytes(const chain_plan&) const override { return 0; }
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

 private:
  std::shared_ptr<onehop::transport> make_alike(const mpi::job& where,
                                                mpi::notices* whole) override {
    return std::make_shared<transport>(where, whole);
  }

  windows windows_;
};

}  // namespace onehop::mpi_p2p
