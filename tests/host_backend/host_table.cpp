// This file is built once per precision, with ONEHOP_STORED naming the stored type.

#include "dirac/device/fill_table.hpp"
#include "host_backend/host_launcher.hpp"

namespace onehop::device {

template <>
kernel_table make_host_table<ONEHOP_STORED>(field_precision kind) {
  kernel_table table{};
  table.kind = kind;
  fill_wilson<host_launcher, ONEHOP_STORED>(table);
  fill_wilson_dagger<host_launcher, ONEHOP_STORED>(table);
  fill_factored<host_launcher, ONEHOP_STORED>(table);
  fill_factored_dagger<host_launcher, ONEHOP_STORED>(table);
  fill_staggered<host_launcher, ONEHOP_STORED>(table);
  fill_algebra<host_launcher, ONEHOP_STORED>(table);
  fill_bicgstab<host_launcher, ONEHOP_STORED>(table);
  return table;
}

}  // namespace onehop::device
