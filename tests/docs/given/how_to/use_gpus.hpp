#include <onehop/collective_stream.hpp>
#include <onehop/collectives.hpp>
#include <onehop/persistent_collective.hpp>
#include <onehop/put_chain.hpp>

using namespace onehop;
extern context ctx;
extern put_chain chain;
extern std::byte *device_pointer, *device_field;
extern std::size_t bytes, row_bytes, rows, pitch_bytes, offset;
extern int neighbour, iterations;
extern void* stream;
void write_field(void* stream);
void use_ghosts(void* stream);
void interior(void* stream);
void boundary(void* stream);
extern double* values;
extern std::size_t count;
void fill(void* stream);
void other_work(void* stream);
