#include "machine/caller.hpp"

#include <pthread.h>

namespace onehop {
namespace {

extern "C" void count_fork() { ++forks_behind_us; }

// This runs before main, or while a module is loaded; in both cases before any caller was stored.
[[maybe_unused]] const int counts_forks = pthread_atfork(nullptr, nullptr, count_fork);

}  // namespace

std::uint32_t forks_behind_us = 0;
std::uintptr_t bits_of_threads = ~std::uintptr_t{0};

}  // namespace onehop
