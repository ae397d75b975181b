#pragma once
/// A trigger run passes events from sources to consumers and decisions back, and reports the
/// result, for the command and for `main.cpp`.

#include "consumer.hpp"
#include "source.hpp"

#include <onehop/context.hpp>

#include <vector>

namespace event_stream {

struct run_report {
  std::uint64_t events = 0;   ///< events that happened
  std::uint64_t decided = 0;  ///< events whose decision reached the first source
  std::uint64_t fragments_sent = 0, fragments_taken = 0;
  std::uint64_t bytes = 0;     ///< bytes of the fragments that consumers took
  double time_s = 0;           ///< from the beginning to the last decision
  double back_pressure_s = 0;  ///< time in back pressure of the source that had most of it
  double waited_us = 0;        ///< mean time from time stamp to the beginning of a batch
  std::uint64_t kernel_buffer_bytes = 0;  ///< smallest socket buffer of a consumer
  fragment_faults faults;
  trigger_account trigger;
  decision_account decisions;
};

/// Throws onehop::usage_error for impossible settings, or if the job does not have one rank for
/// each source and consumer.
void require_settings(const onehop::context& job, const stream_settings& how);

/// Collective, with the same settings on every rank; the report is complete at rank 0. Throws as
/// require_settings and make_wire.
run_report run_trigger(const onehop::context& job, const stream_settings& how, wire_kind kind);

}  // namespace event_stream
