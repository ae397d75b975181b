# This lies in lib/cmake/onehop of a Python environment under both names of a package's files, where
# find_package looks once the environment is activated. The package itself lies beside the module.
get_filename_component(onehop_file "${CMAKE_CURRENT_LIST_FILE}" NAME)
file(GLOB onehop_packages "${CMAKE_CURRENT_LIST_DIR}/../../python3*/*-packages/onehop/lib/cmake/onehop")
if(onehop_packages)
  list(GET onehop_packages 0 onehop_package)
  include("${onehop_package}/${onehop_file}")
else()
  set(onehop_FOUND FALSE)
  set(onehop_NOT_FOUND_MESSAGE "give -Donehop_DIR=$(onehop info --cmake-dir)")
endif()
