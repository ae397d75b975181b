#pragma once
/// Fills the ghosts of fields from the ranks around.

#include <onehop/halo_field.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// The ghosts of one side of a block: side 0 is below it in `dimension`, side 1 above.
struct face {
  int dimension = 0;
  int side = 0;
};

struct halo_options {
  /// Also fills ghosts that are past the block in more than one dimension.
  bool corners = false;
  /// Where ghosts arrive of fields that are not padded: halo_exchange::ghost_bytes of them, the
  /// caller's, living as long as the exchange; memory of a device, if need be. Where it is empty
  /// the exchange takes a window of the host.
  std::span<std::byte> ghosts = {};
  /// A CUstream or cudaStream_t of the device that the fields or `ghosts` are in: start comes after
  /// what it holds. Null is the device's default stream.
  void* stream = nullptr;
  /// As put_chain::wait_on_stream: where all ghosts go from device to device of one machine, wait
  /// lets the stream wait and returns at once.
  bool wait_on_stream = false;
};

/// A put chain for the faces of one field or of several, which travel together: one put for each
/// neighbour and exchange.
///
///     onehop::cartesian ranks(job, {24, 16, 32});
///     onehop::halo_field<double> field(ranks, {.width = 1});
///     onehop::halo_exchange halo(field);
///     halo.start();  interior(field);  halo.wait();  boundary(field);
///
/// Faces of padded fields are packed straight into the neighbour's memory where stores reach it,
/// and copied from where they arrive to the ghosts. Fields that are not padded are sent from where
/// they lie, and their ghosts are read where they arrive.
///
/// From start to wait the caller may read the fields but not write them. Ghosts past an end of the
/// lattice that is not periodic are never touched. A field must stay where it is until other fields
/// take its place; one exchange belongs to one thread.
class halo_exchange {
 public:
  /// Collective. Throws usage_error on every rank where fields lie on different grids of ranks, or
  /// only some are padded, or padded ones in a device's memory; chain_error and resource_error as
  /// put_chain::commit.
  explicit halo_exchange(halo_memory& field, const halo_options& how = {});
  explicit halo_exchange(std::vector<halo_memory*> fields, const halo_options& how = {});
  ~halo_exchange();
  halo_exchange(halo_exchange&&) noexcept;
  halo_exchange& operator=(halo_exchange&&) noexcept;

  /// How many bytes halo_options::ghosts has.
  static std::size_t ghost_bytes(const std::vector<halo_memory*>& fields, bool corners = false);

  /// Sends the faces, and returns without waiting for any. Allocates nothing. Throws usage_error
  /// between a start and its wait, and where a field that is sent from where it lies is no longer
  /// there; else as put_chain::start.
  void start();
  /// The same with other fields, of the same layouts and sizes of sites, from now on: as fields of
  /// which one holds the last step and one the next. Padded ones only.
  void start(halo_memory& field) { start(std::vector<halo_memory*>{&field}); }
  void start(const std::vector<halo_memory*>& fields);

  /// All ghosts hold what the neighbours had at start. Throws usage_error without a start,
  /// timeout_error at the deadline, peer_error when another rank failed.
  void wait();
  /// Waits for the ghosts of one face, corners apart. Does not replace wait().
  void wait(face which);
  /// True when wait would return at once, and then takes its place; never blocks.
  bool test();
  bool test(face which);
  /// start and wait.
  void exchange() {
    start();
    wait();
  }
  void exchange(halo_memory& field) {
    start(field);
    wait();
  }

  /// The ghosts of a face of field number `field` where they arrived, x fastest: for fields that
  /// are not padded, from wait until the next start. Empty past an end that is not periodic. Throws
  /// usage_error for padded fields, and before they are seen.
  std::span<const std::byte> ghost(face which, std::size_t field = 0) const;
  /// With corners, this gives the ghosts at these steps of -1, 0 or 1 from the block.
  std::span<const std::byte> ghost_at(const coordinate& steps, std::size_t field = 0) const;
  template <class Site>
  std::span<const Site> ghost_sites(face which, std::size_t field = 0) const {
    const std::span<const std::byte> bytes = ghost(which, field);
    return {reinterpret_cast<const Site*>(bytes.data()), bytes.size() / sizeof(Site)};
  }

  /// As put_chain::synchronise: returns once a stream that waits has passed the last wait.
  void synchronise();
  /// As put_chain::describe: how each put travels, and why.
  std::string describe() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
