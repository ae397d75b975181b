#include "rma/halo/face_chain.hpp"

#include "rma/device_channels.hpp"

namespace onehop {

face_chain::face_chain(const context& ctx, const window& memory, std::span<const face_route> routes,
                       const face_chain_options& how)
    : chain_(ctx, memory), faces_(routes.size()) {
  // Managed memory may not be in a chain with a stream; in a chain without one it counts as the
  // host's.
  bool follows = how.stream != nullptr || memory.on_device();
  // The k-th put from A to B pairs with the k-th origin A that B adds. A put and its arrival have
  // the same route, so both are added in the order of the routes.
  for (std::size_t r = 0; r < routes.size(); ++r) {
    const face_route& route = routes[r];
    if (route.source.bytes() > 0)
      faces_[r].slot = chain_.push({route.source, route.target, route.place});
    if (route.received > 0) faces_[r].arrival = chain_.add_origin(route.origin);
    follows = follows || on_device(ctx, route.source.data);
    empty_ = empty_ && !sends(r) && !receives(r);
  }
  chain_.take_turns();
  if (follows) chain_.set_stream(how.stream);
  if (how.wait_on_stream) chain_.wait_on_stream();
  chain_.commit();
}

}  // namespace onehop
