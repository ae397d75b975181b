#pragma once
#include "transport/mpi/transport.hpp"
#include "transport/mpi_rma/region.hpp"

namespace onehop::mpi_rma {

/// This transport serves a rank that puts into MPI windows on other machines and raises a flag
/// behind the bytes. It is the far transport of a mixed one, whose near transport supplies the
/// memory.
class transport final : public mpi::transport {
 public:
  explicit transport(const mpi::job& where, mpi::notices* whole = nullptr)
      : mpi::transport(where, "mpi_rma", whole), windows_(this->where()) {}

  /// This throws, because the transport connects machines over existing memory and has no memory of
  /// its own.
  memory_id expose(std::span<const std::size_t>) override;
  std::optional<memory_id> expose_existing(std::span<std::byte> mine) override {
    return windows_.expose_existing(mine);
  }
  void withdraw(memory_id memory) noexcept override {
    windows_.withdraw(memory);
    free_group(memory);
  }
  std::span<std::byte> local(memory_id memory) const override { return windows_.get(memory).local; }

  std::size_t endpoint_bytes(const chain_plan& plan) const override;
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

 private:
  std::shared_ptr<onehop::transport> make_alike(const mpi::job& where,
                                                mpi::notices* whole) override {
    return std::make_shared<transport>(where, whole);
  }

  windows windows_;
};

}  // namespace onehop::mpi_rma
