#pragma once
/// A cell of a table says what is measured, and which contenders take part.

#include <onehop/context.hpp>

#include "benchmarks/contender.hpp"
#include "benchmarks/peer.hpp"

namespace onehop::bench {

struct cell {
  std::string pattern;
  std::vector<std::size_t> face_bytes;  ///< bytes of each face; one entry for patterns without
                                        ///< faces
  int channels = 1;                     ///< number of chains in flight at the same time
  std::size_t messages = 0;  ///< per start of a stream or ping-ping, 0 chooses; puts of a commit
  std::size_t rows = 1;      ///< rows of each message at its source, one row length apart
  std::string schedule = "pairwise";  ///< schedule of alltoall: pairwise, dissemination or staged
  bool fast_order = false;            ///< allreduce in the transport's own order
  bool packed = false;                ///< bytes are written directly where the chain needs them
  bool early = false;                 ///< our faces leave one by one, each as soon as it is written
  bool early_beside = false;          ///< the halo is measured with early faces, then as a whole
  bool check_inside = false;          ///< every timed step writes and compares its bytes
  bool against_hand = false;          ///< also measure the hand-written loops of the same step
  std::vector<std::string> methods;   ///< methods of the peers; empty for all they have
  std::string channel;  ///< channel of our halo (ONEHOP_CHANNELS) in place of the tuned one
  std::vector<std::string> channels_beside;  ///< channels on which our halo is measured in addition
  bool source_on_device = false, window_on_device = false;
  bool share_device = false;     ///< several ranks may use one device
  std::size_t rotate_bytes = 0;  ///< use enough buffers in turns to reach this many bytes

  std::size_t bytes() const;
  /// Returns how many buffers are used in turns.
  std::size_t turns() const;
};

/// Makes the contenders, ours first; collective. Throws usage_error if the pattern does not fit the
/// ranks or if no contender has one of the methods.
contenders make_contenders(const context& ctx, const cell& what, const peers& others = {});

std::unique_ptr<contender> make_chain_halo(const context& ctx, const cell& what);
/// Makes any of the patterns with chains only, with sources or windows in the memory of each rank's
/// device.
std::unique_ptr<contender> make_device_exchange(const context& ctx, const cell& what);
std::unique_ptr<contender> make_ping_pong(const context& ctx, const cell& what);
std::unique_ptr<contender> make_ping_ping(const context& ctx, const cell& what);
std::unique_ptr<contender> make_stream(const context& ctx, const cell& what, bool both_ways);
std::unique_ptr<contender> make_item_stream(const context& ctx, const cell& what);
/// Makes faces from rank 0 to each other rank, half of them packed by kernels.
std::unique_ptr<contender> make_sent_faces(const context& ctx, const cell& what);
std::unique_ptr<contender> make_put(const context& ctx, const cell& what);
std::unique_ptr<contender> make_get(const context& ctx, const cell& what);
/// Makes the commit of a chain of cell::messages puts.
std::unique_ptr<contender> make_commit(const context& ctx, const cell& what);
std::unique_ptr<contender> make_allreduce(const context& ctx, const cell& what);
std::unique_ptr<contender> make_allgather(const context& ctx, const cell& what);
std::unique_ptr<contender> make_broadcast(const context& ctx, const cell& what);
std::unique_ptr<contender> make_alltoall(const context& ctx, const cell& what);
std::unique_ptr<contender> make_alltoallv(const context& ctx, const cell& what);
std::unique_ptr<contender> make_reduce_scatter(const context& ctx, const cell& what);
std::unique_ptr<contender> make_barrier(const context& ctx);
void add_hand_halos(contenders& list, const context& ctx, const cell& what);
void add_hand_allreduce(contenders& list, const context& ctx, const cell& what);
void add_hand_stream(contenders& list, const context& ctx, const cell& what);

}  // namespace onehop::bench
