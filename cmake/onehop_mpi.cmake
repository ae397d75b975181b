# Makes one interface target onehop_mpi_<family> for each MPI that is here, family being mpich (MPICH, Intel
# MPI, MVAPICH) or openmpi; their names go to ONEHOP_MPI_FAMILIES. One more, onehop_mpi_standard, is for
# every MPI with the C ABI of MPI 5.0, which the module looks for when it is loaded.
#
# An MPI is found by its compiler wrapper, which tells include and library folders: on PATH, beside
# the Python that builds, or as ONEHOP_MPI_WRAPPERS says. What is found by itself is of the machine
# that builds: for another processor only wrappers that were named count.
set(ONEHOP_MPI "AUTO" CACHE STRING "Build the MPI transports: AUTO (for the standard ABI and each MPI that is found), ON (finding none is an error), STANDARD (for the standard ABI alone), OFF")
set_property(CACHE ONEHOP_MPI PROPERTY STRINGS AUTO ON STANDARD OFF)
set(ONEHOP_MPI_WRAPPERS "" CACHE STRING "MPI compiler wrappers to use instead of those found")

function(onehop_list_mpi_wrappers result)
  if(ONEHOP_MPI_WRAPPERS OR CMAKE_CROSSCOMPILING)
    set(${result} ${ONEHOP_MPI_WRAPPERS} PARENT_SCOPE)
    return()
  endif()
  find_package(Python3 QUIET COMPONENTS Interpreter)
  cmake_path(GET Python3_EXECUTABLE PARENT_PATH python_folder)
  set(found)
  foreach(name IN ITEMS mpicxx mpicxx.openmpi mpicxx.mpich)
    find_program(wrapper NAMES ${name} HINTS "${python_folder}" NO_CACHE)
    if(wrapper)
      list(APPEND found "${wrapper}")
    endif()
    unset(wrapper)
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Sets family and name of the MPI in <prefix>_FAMILY and <prefix>_NAME: the preprocessor reads its mpi.h.
function(onehop_name_mpi prefix includes)
  set(probe "${CMAKE_CURRENT_BINARY_DIR}/mpi_probe.cpp")
  file(WRITE "${probe}" "#include <mpi.h>
#if defined(OPEN_MPI)
onehop_mpi openmpi \"Open MPI\" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined(I_MPI_VERSION)
onehop_mpi mpich \"Intel MPI\" I_MPI_VERSION
#elif defined(MVAPICH_VERSION)
onehop_mpi mpich \"MVAPICH\" MVAPICH_VERSION
#elif defined(MPICH_VERSION)
onehop_mpi mpich \"MPICH\" MPICH_VERSION
#endif
")
  list(TRANSFORM includes PREPEND -I)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${includes} -E -P "${probe}"
                  OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "onehop_mpi ([a-z]+) ([^\n]*)")
    set(${prefix}_FAMILY ${CMAKE_MATCH_1} PARENT_SCOPE)
    string(REGEX REPLACE "([0-9]) *\\. *" "\\1." name "${CMAKE_MATCH_2}")
    string(REPLACE "\"" "" name "${name}")
    set(${prefix}_NAME "${name}" PARENT_SCOPE)
  endif()
endfunction()

function(onehop_add_mpi wrapper)
  execute_process(COMMAND "${wrapper}" -show OUTPUT_VARIABLE line ERROR_QUIET RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(folders ${words})
  list(FILTER folders INCLUDE REGEX "^-L")
  list(TRANSFORM folders REPLACE "^-L" "")
  set(libraries ${words})
  list(FILTER libraries INCLUDE REGEX "^-l")
  # The C++ bindings of MPI-2 are not used.
  list(FILTER libraries EXCLUDE REGEX "cxx")
  onehop_name_mpi(mpi "${includes}")
  if(NOT mpi_FAMILY OR TARGET onehop_mpi_${mpi_FAMILY})
    return()
  endif()
  cmake_path(GET wrapper PARENT_PATH bin)
  cmake_path(GET wrapper EXTENSION LAST_ONLY suffix)
  find_program(mpirun NAMES mpirun${suffix} mpirun HINTS "${bin}" NO_DEFAULT_PATH NO_CACHE)
  if(NOT mpirun)
    set(mpirun "")
  endif()
  set(target onehop_mpi_${mpi_FAMILY})
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${includes})
  # Without this, mpi.h needs the library of its C++ bindings.
  target_compile_definitions(${target} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_directories(${target} INTERFACE ${folders})
  target_link_libraries(${target} INTERFACE ${libraries})
  set_target_properties(${target} PROPERTIES ONEHOP_NAME "${mpi_NAME}" ONEHOP_FOLDERS "${folders}"
                                             ONEHOP_MPIRUN "${mpirun}")
  set(ONEHOP_MPI_FAMILIES ${ONEHOP_MPI_FAMILIES} ${mpi_FAMILY} PARENT_SCOPE)
  message(STATUS "MPI transports for ${mpi_NAME} (${wrapper})")
endfunction()

set(ONEHOP_MPI_FAMILIES)
set(onehop_mpi_modules)
# A sanitizer reports errors inside MPIs, which are not ours.
if(NOT ONEHOP_MPI STREQUAL "OFF" AND NOT ONEHOP_SANITIZE AND (ONEHOP_PROGRAMS OR ONEHOP_BUILD_TESTS))
  # It is linked with onehop's own library of that ABI, which has all names; another one of the same name
  # takes its place when the module is loaded.
  add_library(onehop_mpi_standard INTERFACE)
  target_include_directories(onehop_mpi_standard INTERFACE ${PROJECT_SOURCE_DIR}/src/mpi/standard)
  target_link_libraries(onehop_mpi_standard INTERFACE onehop_mpi_abi)
  set(onehop_mpi_modules standard)
endif()
if(NOT ONEHOP_MPI MATCHES "OFF|STANDARD" AND NOT ONEHOP_SANITIZE)
  onehop_list_mpi_wrappers(onehop_wrappers)
  foreach(wrapper IN LISTS onehop_wrappers)
    onehop_add_mpi("${wrapper}")
  endforeach()
endif()
if(ONEHOP_MPI STREQUAL "ON" AND NOT ONEHOP_MPI_FAMILIES)
  message(FATAL_ERROR "ONEHOP_MPI is ON but no MPI compiler wrapper (mpicxx) works here: pip install "
                      "mpich, name one with -DONEHOP_MPI_WRAPPERS=..., or set ONEHOP_MPI to OFF")
endif()
list(APPEND onehop_mpi_modules ${ONEHOP_MPI_FAMILIES})
