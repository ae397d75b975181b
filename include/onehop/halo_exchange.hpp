#pragma once
/// A halo_exchange fills the ghosts of fields from the neighbouring ranks.

#include <onehop/halo_field.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// A face names the ghosts on one side of a block: side 0 is below the block in `dimension`, side 1
/// above.
struct face {
  int dimension = 0;
  int side = 0;
};

struct halo_options {
  /// If true, the exchange also fills ghosts that lie beyond the block in more than one dimension.
  bool corners = false;
  /// Ghosts of fields that are not padded arrive in this memory of the caller. It has
  /// halo_exchange::ghost_bytes bytes, on the host or on a device, and must live as long as the
  /// exchange. If it is empty, the exchange allocates a window on the host.
  std::span<std::byte> ghosts = {};
  /// This is a CUstream or cudaStream_t of the device that holds the fields or `ghosts`: a start is
  /// ordered after the work enqueued on it. Null is the device's default stream.
  void* stream = nullptr;
  /// If true and all ghosts go between devices of one machine, the stream waits, and wait() returns
  /// at once; see put_chain::wait_on_stream.
  bool wait_on_stream = false;
};

/// A halo_exchange is a put chain for the faces of one or several fields, which travel together:
/// each exchange has one put for each neighbour.
///
///     onehop::cartesian ranks(job, {24, 16, 32});
///     onehop::halo_field<double> field(ranks, {.width = 1});
///     onehop::halo_exchange halo(field);
///     halo.start();  interior(field);  halo.wait();  boundary(field);
///
/// Faces of padded fields are packed straight into the neighbour's memory if stores reach it, and
/// copied from where they arrive to the ghosts. Fields that are not padded are sent from where they
/// lie, and their ghosts are read where they arrive.
///
/// start_partial lets each face leave separately once `ready` names it, so the first faces can
/// travel while the caller still computes the sites of the others:
///
///     halo.start_partial();
///     for (const onehop::face side : sides) { update(field, side); halo.ready(side); }
///     interior(field);  halo.wait();
///
/// From start, or from ready, to wait the caller may read the fields but not write them. Ghosts
/// beyond an end of the lattice that is not periodic are never touched. A field must stay where it
/// is until start is called with other fields; one exchange belongs to one thread.
class halo_exchange {
 public:
  /// Makes an exchange; collective. Throws usage_error on every rank if fields lie on different
  /// grids of ranks, if only some are padded, if a padded one lies in device memory, or if the
  /// ranks' lattices, fields, ghosts or sites differ, which is not checked on virtual machines;
  /// throws chain_error and resource_error as put_chain::commit does.
  explicit halo_exchange(halo_memory& field, const halo_options& how = {});
  explicit halo_exchange(std::vector<halo_memory*> fields, const halo_options& how = {});
  ~halo_exchange();
  halo_exchange(halo_exchange&&) noexcept;
  halo_exchange& operator=(halo_exchange&&) noexcept;

  /// Returns how many bytes halo_options::ghosts must have.
  static std::size_t ghost_bytes(const std::vector<halo_memory*>& fields, bool corners = false);

  /// Sends the faces, and returns without waiting for any arrival. Allocates nothing. Throws
  /// usage_error between a start and its wait, and if a field that is sent from its own memory no
  /// longer exists; otherwise throws as put_chain::start does.
  void start();
  /// Sends the faces of other padded fields from now on, with the same layouts and sizes of sites,
  /// for example if one field holds the last step and another the next.
  void start(halo_memory& field) { start(std::vector<halo_memory*>{&field}); }
  void start(const std::vector<halo_memory*>& fields);

  /// Starts an exchange whose faces leave one by one; never blocks. Throws as start does, and
  /// usage_error if device memory takes part.
  void start_partial();
  /// Sends the sites on this side of the block, as they are now, to the neighbour there; never
  /// blocks. In an exchange with corners, the sites for ghosts beyond the block in several
  /// dimensions leave with the last face that they belong to. Name every side of every dimension
  /// once, even if nothing is sent there. Throws usage_error without a start_partial, and for a
  /// face that is already ready.
  void ready(face which);

  /// Waits until all ghosts hold what the neighbours' sites held at start. Throws usage_error
  /// without a start and while a face is not yet ready, timeout_error at the deadline, peer_error
  /// if another rank failed.
  void wait();
  /// Waits for the ghosts of one face, without the corners. Does not replace wait().
  void wait(face which);
  /// Returns true if wait would return at once; such a test replaces the wait. Never blocks.
  bool test();
  bool test(face which);
  /// Calls start and wait.
  void exchange() {
    start();
    wait();
  }
  void exchange(halo_memory& field) {
    start(field);
    wait();
  }

  /// Returns the ghosts of a face of field number `field` where they arrived, x fastest; for fields
  /// that are not padded, from wait until the next start. Empty beyond an end that is not periodic.
  /// Throws usage_error for padded fields, and until wait or test has seen the ghosts.
  std::span<const std::byte> ghost(face which, std::size_t field = 0) const;
  /// Returns, in an exchange with corners, the ghosts in the direction given by steps of -1, 0 or 1
  /// from the block.
  std::span<const std::byte> ghost_at(const coordinate& steps, std::size_t field = 0) const;
  template <class Site>
  std::span<const Site> ghost_sites(face which, std::size_t field = 0) const {
    const std::span<const std::byte> bytes = ghost(which, field);
    return {reinterpret_cast<const Site*>(bytes.data()), bytes.size() / sizeof(Site)};
  }

  /// Waits until a stream that waits has passed the last wait; see put_chain::synchronise.
  void synchronise();
  /// Returns how each put travels, and why; see put_chain::describe.
  std::string describe() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
