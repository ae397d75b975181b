#pragma once
/// A halo_exchange fills the ghosts of fields from the neighbouring ranks.

#include <onehop/halo_field.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// A face names the ghosts of one side of a block: side 0 is below the block in `dimension`, side 1
/// above.
struct face {
  int dimension = 0;
  int side = 0;
};

struct halo_options {
  /// True also fills ghosts that are past the block in more than one dimension.
  bool corners = false;
  /// Ghosts of fields that are not padded arrive in this memory of the caller:
  /// halo_exchange::ghost_bytes of it, on the host or on a device, living as long as the exchange.
  /// Where it is empty the exchange takes a window of the host.
  std::span<std::byte> ghosts = {};
  /// This is a CUstream or cudaStream_t of the device that holds the fields or `ghosts`: start
  /// comes after what is enqueued on it. Null is the device's default stream.
  void* stream = nullptr;
  /// Where all ghosts go from device to device of one machine, true lets the stream wait and wait()
  /// return at once; see put_chain::wait_on_stream.
  bool wait_on_stream = false;
};

/// A halo_exchange is a put chain for the faces of one field or of several, which travel together:
/// one put for each neighbour and exchange.
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
/// start_partial lets each face leave by itself once `ready` names it, so that the first travel
/// while the caller still computes the sites of the others:
///
///     halo.start_partial();
///     for (const onehop::face side : sides) { update(field, side); halo.ready(side); }
///     interior(field);  halo.wait();
///
/// From start, or from ready, to wait the caller may read the fields but not write them. Ghosts
/// past an end of the lattice that is not periodic are never touched. A field must stay where it is
/// until other fields take its place; one exchange belongs to one thread.
class halo_exchange {
 public:
  /// The constructor is collective. It throws usage_error on every rank where fields lie on
  /// different grids of ranks, where only some are padded, where a padded one lies in a device's
  /// memory, or, in real time, where ranks give other lattices, fields, ghosts or sites; it throws
  /// chain_error and resource_error as put_chain::commit does.
  explicit halo_exchange(halo_memory& field, const halo_options& how = {});
  explicit halo_exchange(std::vector<halo_memory*> fields, const halo_options& how = {});
  ~halo_exchange();
  halo_exchange(halo_exchange&&) noexcept;
  halo_exchange& operator=(halo_exchange&&) noexcept;

  /// Returns how many bytes halo_options::ghosts must have.
  static std::size_t ghost_bytes(const std::vector<halo_memory*>& fields, bool corners = false);

  /// Sends the faces, and returns without waiting for any arrival. Allocates nothing. Throws
  /// usage_error between a start and its wait, and where a field that is sent from its own memory
  /// is no longer there; otherwise throws as put_chain::start does.
  void start();
  /// Sends the faces of other padded fields from now on, of the same layouts and sizes of sites, as
  /// where one field holds the last step and another the next.
  void start(halo_memory& field) { start(std::vector<halo_memory*>{&field}); }
  void start(const std::vector<halo_memory*>& fields);

  /// Begins an exchange whose faces leave one by one; never blocks. Throws as start does, and
  /// usage_error where memory of a device takes part.
  void start_partial();
  /// Sends the sites of this side of the block, as they are now, to the neighbour there; never
  /// blocks. Of an exchange with corners, what goes past the block in several dimensions leaves
  /// with the last face that it is part of. Every side of every dimension is named once, also where
  /// nothing is sent. Throws usage_error without a start_partial, and for a face that is ready.
  void ready(face which);

  /// Waits until all ghosts hold what the neighbours had at start. Throws usage_error without a
  /// start and while a face is yet to be made ready, timeout_error at the deadline, peer_error when
  /// another rank failed.
  void wait();
  /// Waits for the ghosts of one face, without the corners. Does not replace wait().
  void wait(face which);
  /// Returns true when wait would return at once, and then replaces it; never blocks.
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

  /// Returns the ghosts of a face of field number `field` where they arrived, x fastest: for fields
  /// that are not padded, from wait until the next start. Empty past an end that is not periodic.
  /// Throws usage_error for padded fields, and before wait or test has seen the ghosts.
  std::span<const std::byte> ghost(face which, std::size_t field = 0) const;
  /// Returns, of an exchange with corners, the ghosts at these steps of -1, 0 or 1 from the block.
  std::span<const std::byte> ghost_at(const coordinate& steps, std::size_t field = 0) const;
  template <class Site>
  std::span<const Site> ghost_sites(face which, std::size_t field = 0) const {
    const std::span<const std::byte> bytes = ghost(which, field);
    return {reinterpret_cast<const Site*>(bytes.data()), bytes.size() / sizeof(Site)};
  }

  /// Returns once a stream that waits has passed the last wait; see put_chain::synchronise.
  void synchronise();
  /// Describes how each put travels, and why; see put_chain::describe.
  std::string describe() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
