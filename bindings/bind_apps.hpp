#pragma once
// Each application has one function; apps_module.cpp calls them in this order.

#include <nanobind/nanobind.h>

#include "release_gil.hpp"

void bind_echo(nanobind::module_& m);
void bind_event_stream(nanobind::module_& m);
void bind_graph_search(nanobind::module_& m);
void bind_lattice_boltzmann(nanobind::module_& m);
void bind_particle_in_cell(nanobind::module_& m);
void bind_spiking_network(nanobind::module_& m);
void bind_spin_glass(nanobind::module_& m);
