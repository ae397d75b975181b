#include <onehop/halo_exchange.hpp>

extern int steps;
extern onehop::cartesian ranks;
extern std::span<double> on_device;
extern std::byte* ghosts_on_device;
extern void* stream;
void interior(onehop::halo_field<double>& field);
void boundary(onehop::halo_field<double>& field);
