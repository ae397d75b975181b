// The functions of the ABI for sessions. Sessions see the same ranks as MPI_COMM_WORLD and
// MPI_COMM_SELF. The first session or MPI_Init, whichever comes first, starts MPI.

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/hints.hpp"
#include "mpi/info.hpp"
#include "mpi/messages.hpp"
#include "mpi/send_buffer.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {
namespace {

struct session {
  communicator_ptr errors;  ///< the communicator whose error handler the session has
  info hints;
  session_buffer buffer = std::make_shared<std::shared_ptr<send_buffer>>();
};

constexpr std::array process_sets{"mpi://WORLD", "mpi://SELF"};

session& session_of(MPI_Session handle) {
  running();
  if (auto* const known = object_at<session>(handle)) return *known;
  throw mpi_error(err_session, number_of(handle) == session_null ? "the session is MPI_SESSION_NULL"
                                                                 : "no session has the handle");
}

template <class Body>
int guarded_session(MPI_Session handle, const entry& call, Body&& body) noexcept {
  return guarded(call.function, [&] {
    session& here = session_of(handle);
    try {
      call.check();
      body(here);
    } catch (mpi_error& error) {
      if (!error.comm) error.comm = here.errors;
      throw;
    }
  });
}

template <class Body>
int with_buffer(MPI_Session handle, const entry& call, Body&& body) noexcept {
  return guarded_session(handle, call,
                         [&](session& here) { body(*here.buffer, fixed<MPI_Comm>(comm_self)); });
}

struct level_name {
  int level;
  const char* name;
};
constexpr level_name level_names[] = {{thread_single, "MPI_THREAD_SINGLE"},
                                      {thread_funneled, "MPI_THREAD_FUNNELED"},
                                      {thread_serialized, "MPI_THREAD_SERIALIZED"},
                                      {thread_multiple, "MPI_THREAD_MULTIPLE"}};
constexpr const char* level_key = "thread_level";

/// If a session does not specify a level, it may belong to a library that several threads call.
int level_wanted_by(const info& hints) {
  const auto told = std::ranges::find(hints, level_key, &info::value_type::first);
  if (told == hints.end()) return thread_multiple;
  const auto known = std::ranges::find(level_names, told->second, &level_name::name);
  return known == std::end(level_names) ? thread_multiple : known->level;
}

MPI_Session begin(MPI_Info hints, MPI_Errhandler handler) {
  session made{std::make_shared<communicator>(std::vector{0}, 0, 0), hints_in(hints)};
  made.errors->errors = handler_at(handler);
  try {
    initialize_once(level_wanted_by(made.hints));
  } catch (mpi_error& error) {
    made.errors->handle = reinterpret_cast<MPI_Comm>(fixed<MPI_Session>(session_null));
    error.comm = made.errors;
    throw;
  }
  session* const kept = keep_object(std::move(made));
  kept->errors->handle = reinterpret_cast<MPI_Comm>(kept);
  ++state().sessions;
  return reinterpret_cast<MPI_Session>(kept);
}

/// Names of process sets are URIs and compared without regard to case.
const communicator_ptr& set_named(const char* name) {
  if (strcasecmp(name, process_sets[0]) == 0) return state().world;
  if (strcasecmp(name, process_sets[1]) == 0) return state().self;
  throw mpi_error(err_arg, text("no process set is called ", name));
}

MPI_Comm communicator_of_group(const group& members) {
  const communicator_ptr& world = state().world;
  if (members.place_of(world->world(world->rank())) == undefined) return fixed<MPI_Comm>(comm_null);
  return make_among(world, members.members, 0);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Session_init(MPI_Info hints, MPI_Errhandler handler, MPI_Session* made) {
  return guarded({__func__, hints, handler, made}, [&] { *made = begin(hints, handler); });
}

int MPI_Session_finalize(MPI_Session* handle) {
  return guarded({__func__, handle}, [&] {
    end_object(&session_of(*handle));
    *handle = fixed<MPI_Session>(session_null);
    if (--state().sessions == 0 && state().by_session) end_messages();
  });
}

int MPI_Session_get_num_psets(MPI_Session handle, MPI_Info hints, int* count) {
  return guarded_session(handle, {__func__, hints, count},
                         [&](session&) { *count = static_cast<int>(process_sets.size()); });
}

int MPI_Session_get_nth_pset(MPI_Session handle, MPI_Info hints, int index, int* room, char* name) {
  return guarded_session(handle, {__func__, hints, room}, [&](session&) {
    if (index < 0 || index >= std::ssize(process_sets))
      throw mpi_error(err_arg, onehop::text("there is no process set with number ", index));
    const std::string known = process_sets[static_cast<std::size_t>(index)];
    require_list(name, *room);
    if (*room > 0) give_words(known, name, nullptr, *room);
    *room = static_cast<int>(known.size()) + 1;
  });
}

int MPI_Session_get_pset_info(MPI_Session handle, const char* name, MPI_Info* hints) {
  return guarded_session(handle, {__func__, name, hints}, [&](session&) {
    *hints = new_handle(info{{"mpi_size", onehop::text(set_named(name)->size())}});
  });
}

int MPI_Session_get_info(MPI_Session handle, MPI_Info* hints) {
  return guarded_session(handle, {__func__, hints}, [&](const session& here) {
    info all = here.hints;
    std::erase_if(all, [](const auto& hint) { return hint.first == level_key; });
    const int level = state().thread_level;
    all.emplace_back(level_key, std::ranges::find(level_names, level, &level_name::level)->name);
    *hints = new_handle(std::move(all));
  });
}

int MPI_Group_from_session_pset(MPI_Session handle, const char* name, MPI_Group* made) {
  return guarded_session(handle, {__func__, name, made}, [&](const session& here) {
    *made =
        new_handle(std::make_shared<const group>(group{set_named(name)->members(), here.buffer}));
  });
}

int MPI_Comm_create_from_group(MPI_Group members, const char* tag, MPI_Info hints,
                               MPI_Errhandler handler, MPI_Comm* made) {
  return guarded({__func__, tag, hints, handler, made}, [&] {
    *made = communicator_of_group(*group_of(members));
    if (number_of(*made) == comm_null) return;
    communicator_of(*made)->errors = handler_at(handler);
    communicator_of(*made)->buffer_of_session = group_of(members)->buffer;
    take_hints(communicator_of(*made)->hints, hints_in(hints), communicator_hints);
  });
}

ONEHOP_BUFFER(Session, _buffer, MPI_Session handle)

int MPI_Session_set_errhandler(MPI_Session handle, MPI_Errhandler handler) {
  return guarded_session(handle, __func__,
                         [&](session& here) { here.errors->errors = handler_at(handler); });
}
int MPI_Session_get_errhandler(MPI_Session handle, MPI_Errhandler* handler) {
  return guarded_session(handle, {__func__, handler},
                         [&](session& here) { *handler = handle_of(here.errors->errors); });
}
int MPI_Session_call_errhandler(MPI_Session handle, int code) {
  const int wrong = guarded_session(handle, __func__, [](session&) {});
  if (wrong == success) guarded_session(handle, __func__, [&](session&) { throw_code(code); });
  return wrong;
}
}
