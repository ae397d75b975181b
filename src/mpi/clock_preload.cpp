// This is libonehop_clock.so, whose functions are found before those of the C library. It may
// depend only on the C library, since every process of a rank loads it, even a shell.

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "mpi/program_clock.hpp"

namespace {

using nanoseconds = std::int64_t;
constexpr nanoseconds second = 1'000'000'000;

nanoseconds in_nanoseconds(const timespec& time) { return time.tv_sec * second + time.tv_nsec; }

/// This makes the system call itself, since this library has replaced the C library's function.
int read_system(clockid_t clock, timespec* time) {
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

nanoseconds system_time(clockid_t clock) {
  timespec time{};
  read_system(clock, &time);
  return in_nanoseconds(time);
}

constexpr clockid_t clocks[] = {CLOCK_REALTIME,  CLOCK_REALTIME_COARSE,  CLOCK_TAI,
                                CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW,
                                CLOCK_BOOTTIME};
constexpr int clock_numbers = 16;

/// Only the thread that runs MPI changes these. Another thread may see the system's time meanwhile.
onehop_time_to_follow followed = nullptr;
/// What each clock showed when `followed` was set; 0 for clocks that do not follow.
nanoseconds begun[clock_numbers] = {};
nanoseconds last_passed = 0;                     ///< what `followed` returned at the last look
char host_name[sizeof(utsname::nodename)] = "";  ///< empty if the system's name is shown
nanoseconds ahead = 0;  ///< how far the clocks are ahead of the system's while they do not follow

bool goes_with_time(clockid_t clock) {
  for (const clockid_t each : clocks)
    if (each == clock) return true;
  return false;
}

nanoseconds shown(clockid_t clock) {
  const nanoseconds passed = followed == nullptr ? -1 : followed();
  if (passed < 0) return system_time(clock) + ahead;
  last_passed = passed;
  return begun[clock] + passed;
}

}  // namespace

extern "C" {

void onehop_follow_time(onehop_time_to_follow time) {
  if (followed != nullptr)
    ahead = begun[CLOCK_MONOTONIC] + last_passed - system_time(CLOCK_MONOTONIC);
  for (const clockid_t each : clocks) begun[each] = system_time(each) + ahead;
  last_passed = 0;
  followed = time;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!goes_with_time(clock)) return read_system(clock, time);
  const nanoseconds now = shown(clock);
  time->tv_sec = now / second;
  time->tv_nsec = now % second;
  return 0;
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

void onehop_take_host_name(const char* name) {
  std::strncpy(host_name, name, sizeof host_name - 1);
}

int gethostname(char* name, size_t room) noexcept {
  utsname system{};
  if (host_name[0] == '\0' && uname(&system) != 0) return -1;
  const char* const known = host_name[0] != '\0' ? host_name : system.nodename;
  std::strncpy(name, known, room);
  if (std::strlen(known) < room) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}
}
