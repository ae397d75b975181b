#include "bind_apps.hpp"

NB_MODULE(_apps, m) {
  m.doc() = "The programs of apps/, for `onehop app`; types of onehop._core come with it.";
  nanobind::module_::import_("onehop._core");
  bind_echo(m);
  bind_event_stream(m);
  bind_graph_search(m);
  bind_lattice_boltzmann(m);
  bind_particle_in_cell(m);
  bind_spiking_network(m);
  bind_spin_glass(m);
}
