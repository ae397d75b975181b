#include <onehop/halo_exchange.hpp>

#include <onehop/error.hpp>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "rma/device_channels.hpp"
#include "rma/halo/face_chain.hpp"
#include "rma/halo/halo_check.hpp"
#include "rma/halo/halo_pattern.hpp"

namespace onehop {
namespace {

/// Adds the routes of the pieces that one field sends from its own memory.
void add_pieces(std::vector<face_route>& routes, const halo_shift& shift, const halo_part& part,
                const halo_memory& field) {
  if (part.ghosts.bytes() == 0) return;
  const std::vector<local_view> pieces = part.sent.views(field.memory().data());
  const std::size_t bytes = part.ghosts.bytes() / pieces.size();
  for (std::size_t piece = 0; piece < pieces.size(); ++piece)
    routes.push_back({shift.target, shift.origin, shift.target < 0 ? local_view() : pieces[piece],
                      shift.origin < 0 ? 0 : bytes, part.place + piece * bytes});
}

std::vector<halo_memory> copies(const std::vector<halo_memory*>& fields) {
  std::vector<halo_memory> result;
  for (const halo_memory* field : fields) result.push_back(*field);
  return result;
}

face_route packed_route(const halo_shift& shift) {
  return {shift.target,
          shift.origin,
          {nullptr, shift.sent_bytes(), 1, 0},
          shift.received_bytes(),
          shift.place};
}

}  // namespace

struct halo_exchange::state {
  /// A route_group holds the routes of one shift: one route if the shift is packed, otherwise one
  /// for each piece that a put reads from the field.
  struct route_group {
    std::size_t first = 0, end = 0;
    std::vector<std::size_t> first_of_field;  ///< first route of each field, if it is not packed
    bool seen = false;  ///< seen since the last start, so its ghosts are in the fields
    int held_by = 0;    ///< faces that must still be made ready before it leaves
  };

  std::vector<halo_memory*> fields;    ///< fields of the last exchange, initially the constructor's
  std::vector<halo_memory> described;  ///< copies of the constructor's fields as they were then
  bool corners;
  bool padded;
  halo_pattern pattern;
  std::vector<std::vector<halo_wrap>> wraps;  ///< wraps of each field
  std::vector<route_group> groups;            ///< routes of each shift
  window memory;
  face_chain chain;
  bool in_flight = false;
  std::vector<face> held;  ///< faces that must still be made ready

  state(const std::vector<halo_memory*>& all, const halo_options& how)
      : fields(all),
        described(copies(all)),
        corners(how.corners),
        padded(all.empty() || all.front()->layout().padded()),
        pattern(all, how.corners),
        memory(make_window(how)),
        chain(ranks().context(), memory, make_routes(), {how.stream, how.wait_on_stream}) {
    for (const halo_memory& field : described)
      wraps.push_back(padded ? wraps_of(field, corners) : std::vector<halo_wrap>());
  }

  const cartesian& ranks() const { return described.front().ranks(); }

  window make_window(const halo_options& how) const {
    require_alike(fields, how);
    const context& ctx = ranks().context();
    for (const halo_memory& field : described)
      if (padded && on_device(ctx, field.memory().data()))
        throw usage_error(
            "a padded field in a device's memory, which the host cannot pack; give the block alone "
            "and say so by ghost_widths::padded");
    if (how.ghosts.empty()) return window::allocate(ctx, pattern.bytes);
    if (padded)
      throw usage_error(
          "memory for the ghosts of padded fields, which lie around their blocks; leave "
          "halo_options::ghosts out, or pad no field");
    if (how.ghosts.size() != pattern.bytes)
      throw usage_error(text("memory of ", how.ghosts.size(), " bytes for ghosts that take ",
                             pattern.bytes, "; see halo_exchange::ghost_bytes"));
    return window::register_existing(ctx, how.ghosts);
  }

  std::vector<face_route> make_routes() {
    std::vector<face_route> result;
    for (const halo_shift& shift : pattern.shifts) {
      route_group group{result.size(), 0, {}, false, 0};
      if (padded) result.push_back(packed_route(shift));
      for (std::size_t f = 0; f < fields.size() && !padded; ++f) {
        group.first_of_field.push_back(result.size());
        add_pieces(result, shift, shift.parts[f], described[f]);
      }
      group.end = result.size();
      groups.push_back(std::move(group));
    }
    return result;
  }

  void pack_shift(std::size_t k) {
    const std::size_t route = groups[k].first;
    if (!chain.sends(route)) return;
    const halo_shift& shift = pattern.shifts[k];
    std::byte* const to = chain.target(route).data();
    const bool streaming = chain.streaming(route);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const halo_part& part = shift.parts[f];
      pack(to + (part.place - shift.place), fields[f]->memory().data(), part.sent, streaming);
    }
  }

  void begin() {
    for (route_group& group : groups) group.seen = false;
    in_flight = true;
  }

  void hold_all() {
    for (int dimension = 0; dimension < ranks().dimensions(); ++dimension)
      for (const int side : {0, 1}) held.push_back({dimension, side});
    for (std::size_t k = 0; k < groups.size(); ++k)
      groups[k].held_by = static_cast<int>(
          std::ranges::count_if(pattern.shifts[k].steps, [](int step) { return step != 0; }));
  }

  /// Sends every route that waited for this face alone.
  void release(face which) {
    const int step = which.side == 0 ? -1 : 1;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (pattern.shifts[k].steps[static_cast<std::size_t>(which.dimension)] != step) continue;
      if (--groups[k].held_by > 0) continue;
      if (padded) pack_shift(k);
      for (std::size_t route = groups[k].first; route < groups[k].end; ++route)
        if (chain.sends(route)) chain.ready(route);
    }
  }

  /// Unpacks the data of this shift, once it has arrived.
  void take(std::size_t shift) {
    route_group& group = groups[shift];
    if (group.seen) return;
    group.seen = true;
    if (!padded || !chain.receives(group.first)) return;
    const std::byte* const from = chain.arrived(group.first).data();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const halo_part& part = pattern.shifts[shift].parts[f];
      unpack(fields[f]->memory().data(), from + (part.place - pattern.shifts[shift].place),
             part.ghosts);
    }
  }

  /// Fills the ghosts that this rank copies from its own sites: the layers of one face, or of all
  /// faces.
  void wrap(const face* which) {
    for (std::size_t f = 0; f < fields.size(); ++f)
      for (const halo_wrap& layer : wraps[f])
        if (which == nullptr ||
            (which->dimension == layer.which.dimension && which->side == layer.which.side))
          copy_within(fields[f]->memory().data(), layer.to, layer.from);
  }

  void finish() {
    for (std::size_t k = 0; k < groups.size(); ++k) take(k);
    wrap(nullptr);
    in_flight = false;
  }

  void require_in_flight(const char* call) const {
    if (!in_flight)
      throw usage_error(text("rank ", ranks().context().rank(), ": ", call,
                             " of a halo exchange that is not under way: call start first"));
  }

  void require_startable() const {
    if (in_flight)
      throw usage_error(text("rank ", ranks().context().rank(),
                             ": start of a halo exchange that is under way: call wait first"));
    for (std::size_t f = 0; f < fields.size() && !padded; ++f)
      if (fields[f]->memory().data() != described[f].memory().data())
        throw usage_error(
            "start of a halo exchange whose field was moved or swapped, though it is sent from "
            "where it lay; make an exchange for each field, or pad them");
  }

  void require_all_ready() const {
    if (!held.empty())
      throw usage_error(text("rank ", ranks().context().rank(), ": wait of a halo exchange whose ",
                             "face of side ", held.front().side, " in dimension ",
                             held.front().dimension, " has not been made ready: call ready(face) ",
                             "for every face first"));
  }

  void check_face(face which) const {
    if (which.dimension < 0 || which.dimension >= ranks().dimensions() || which.side < 0 ||
        which.side > 1)
      throw usage_error(text("face of side ", which.side, " in dimension ", which.dimension,
                             "; sides are 0 and 1, dimensions 0 to ", ranks().dimensions() - 1));
  }
};

halo_exchange::halo_exchange(halo_memory& field, const halo_options& how)
    : halo_exchange(std::vector<halo_memory*>{&field}, how) {}
halo_exchange::halo_exchange(std::vector<halo_memory*> fields, const halo_options& how)
    : state_(std::make_unique<state>(fields, how)) {}
halo_exchange::~halo_exchange() = default;
halo_exchange::halo_exchange(halo_exchange&&) noexcept = default;
halo_exchange& halo_exchange::operator=(halo_exchange&&) noexcept = default;

std::size_t halo_exchange::ghost_bytes(const std::vector<halo_memory*>& fields, bool corners) {
  return halo_pattern(fields, corners).bytes;
}

void halo_exchange::start() {
  state& s = *state_;
  s.require_startable();
  for (std::size_t k = 0; k < s.groups.size() && s.padded; ++k) s.pack_shift(k);
  s.chain.start();
  s.begin();
}

void halo_exchange::start_partial() {
  state& s = *state_;
  s.require_startable();
  s.chain.start_partial();
  s.hold_all();
  s.begin();
}

void halo_exchange::ready(face which) {
  state& s = *state_;
  s.check_face(which);
  s.require_in_flight("ready");
  const auto same = [&](const face& one) {
    return one.dimension == which.dimension && one.side == which.side;
  };
  if (std::erase_if(s.held, same) == 0)
    throw usage_error(text("rank ", s.ranks().context().rank(), ": ready of the face of side ",
                           which.side, " in dimension ", which.dimension,
                           ", which has been sent already: name each face once after "
                           "start_partial"));
  s.release(which);
}

void halo_exchange::start(const std::vector<halo_memory*>& fields) {
  state& s = *state_;
  if (!s.padded || s.in_flight || fields.size() != s.fields.size())
    throw usage_error(text(
        "start of a halo exchange of ", s.fields.size(), " fields with ", fields.size(), " others",
        s.in_flight ? ": call wait first" : "; only as many padded ones can take their place"));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const halo_memory &first = s.described[f], &next = *fields[f];
    if (!(next.layout() == first.layout()) || next.site_bytes() != first.site_bytes())
      throw usage_error(text("start of a halo exchange with another field ", f,
                             " of other ghosts or sites; its layout must be the same"));
  }
  s.fields = fields;
  start();
}

void halo_exchange::wait() {
  state_->require_in_flight("wait");
  state_->require_all_ready();
  state_->chain.wait();
  state_->finish();
}

void halo_exchange::wait(face which) {
  state& s = *state_;
  s.check_face(which);
  s.require_in_flight("wait for a face");
  const auto shift = s.pattern.find(steps_into(which));
  if (!shift) return s.wrap(&which);
  const state::route_group& group = s.groups[*shift];
  for (std::size_t r = group.first; r < group.end; ++r)
    if (s.chain.receives(r)) s.chain.wait(r);
  s.take(*shift);
}

bool halo_exchange::test() {
  state_->require_in_flight("test");
  if (!state_->held.empty() || !state_->chain.test()) return false;
  state_->finish();
  return true;
}

bool halo_exchange::test(face which) {
  state& s = *state_;
  s.check_face(which);
  s.require_in_flight("test of a face");
  const auto shift = s.pattern.find(steps_into(which));
  if (shift) {
    const state::route_group& group = s.groups[*shift];
    for (std::size_t r = group.first; r < group.end; ++r)
      if (s.chain.receives(r) && !s.chain.test(r)) return false;
    s.take(*shift);
  } else {
    s.wrap(&which);
  }
  return true;
}

std::span<const std::byte> halo_exchange::ghost(face which, std::size_t field) const {
  state_->check_face(which);
  coordinate steps{};
  steps[static_cast<std::size_t>(which.dimension)] = which.side == 0 ? -1 : 1;
  return ghost_at(steps, field);
}

std::span<const std::byte> halo_exchange::ghost_at(const coordinate& steps,
                                                   std::size_t field) const {
  const state& s = *state_;
  if (s.padded)
    throw usage_error("ghost of a padded field, which has its ghosts around its block: index it");
  if (field >= s.fields.size())
    throw usage_error(text("ghost of field ", field, " of an exchange of ", s.fields.size()));
  const auto shift = s.pattern.find({-steps[0], -steps[1], -steps[2], -steps[3]});
  if (!shift || s.pattern.shifts[*shift].parts[field].received == 0) return {};
  const halo_part& part = s.pattern.shifts[*shift].parts[field];
  if (!s.groups[*shift].seen)
    throw usage_error("ghost that has not been waited for: call wait, or wait for its face");
  // The pieces of this field arrive one after the other, so they form one span.
  return {s.chain.arrived(s.groups[*shift].first_of_field[field]).data(), part.received};
}

void halo_exchange::synchronise() { state_->chain.synchronise(); }
std::string halo_exchange::describe() const { return state_->chain.describe(); }

}  // namespace onehop
