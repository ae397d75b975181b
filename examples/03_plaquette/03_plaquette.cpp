// Makes a gauge configuration on several ranks by a few sweeps, writes it, reads it and measures
// it.
#include <onehop/gauge_field.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "plaquette_cpp.nersc";
  const onehop::context job = onehop::join();
  const onehop::geometry lattice(job, {4, 4, 4, 8});

  onehop::gauge_field links(lattice);
  onehop::set_hot(links, 1);
  for (int sweep = 0; sweep < 10; ++sweep) {
    onehop::heatbath_sweep(links, {.beta = 6.0, .seed = 1, .overrelaxation = 4}, sweep);
  }
  onehop::write_gauge_file(links, file, "NERSC");

  onehop::gauge_field again = onehop::read_gauge_file(lattice, file);
  const auto plaquette = onehop::plaquette(again);
  if (job.rank() == 0) {
    std::printf("lattice %s\n", onehop::to_string(lattice.lattice()).c_str());
    std::printf("plaquette %.12f\n", plaquette.mean);
  }
}
