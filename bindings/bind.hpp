#pragma once
// Each part of the module has one function; module.cpp calls them in this order.

#include <nanobind/nanobind.h>

#include "release_gil.hpp"

void bind_rma(nanobind::module_& m);
void bind_collectives(nanobind::module_& m);
void bind_stream(nanobind::module_& m);
void bind_halo(nanobind::module_& m);
void bind_machine(nanobind::module_& m);
void bind_gauge(nanobind::module_& m);
void bind_gauge_slices(nanobind::module_& m);
void bind_smearing(nanobind::module_& m);
void bind_options(nanobind::module_& m);
void bind_tuning(nanobind::module_& m);
void bind_solver(nanobind::module_& m);
void bind_device(nanobind::module_& m);
void bind_dlpack(nanobind::module_& m);
void bind_measure(nanobind::module_& m);
void bind_netsim(nanobind::module_& m);
void bind_accounts(nanobind::module_& m);
void bind_traffic(nanobind::module_& m);
void bind_workload(nanobind::module_& m);
void bind_virtual(nanobind::module_& m);
