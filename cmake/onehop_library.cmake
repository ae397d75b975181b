# onehop_library(NAME SOURCES ... [DEPENDS library ...])
#
# One folder of src/ is one library, onehop::NAME, that sees the public headers and its own
# dependencies and nothing else.
include(GNUInstallDirs)
find_package(Threads REQUIRED)

# A shared library must find all it calls when it is linked. What a sanitizer calls only programs have.
set(onehop_link_complete LINKER:-z,defs)
if(ONEHOP_SANITIZE)
  set(onehop_link_complete "")
endif()

function(onehop_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           $<$<BOOL:${ONEHOP_WERROR}>:-Werror>)
  # Where compilers fuse multiplication and addition unasked, as on AArch64, it would depend on inlining,
  # and so would bits. Kernels fuse explicitly.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # The shared library of the Python modules exports what they use of its functions, which nobody replaces.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  # g++ 12 warns falsely of overlapping copies inside std::string operator+ (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(ONEHOP_SANITIZE)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${ONEHOP_SANITIZE}>
                                            $<BUILD_INTERFACE:-fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${ONEHOP_SANITIZE}>)
  endif()
endfunction()

# These headers take a third of the time that a file takes to compile. Development builds do without them
# (CMakePresets.json), so that a file that forgets one is noticed.
option(ONEHOP_PRECOMPILE "Precompile headers of the standard library" ON)
set(onehop_standard_headers
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <complex> <cstddef> <cstdint> <cstring> <functional>
    <limits> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <string_view> <thread>
    <utility> <variant> <vector>)

# onehop_precompile(TARGET [header ...]) precompiles these headers, or shares those of all libraries
function(onehop_precompile target)
  if(NOT ONEHOP_PRECOMPILE OR ONEHOP_SANITIZE OR ONEHOP_BUILD_FUZZERS)
    return()
  endif()
  # g++ 12 forgets in precompiled headers that they are the system's, and warns of endless copies there.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow)
  endif()
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    return()
  endif()
  if(NOT TARGET onehop_precompiled)
    file(WRITE ${PROJECT_BINARY_DIR}/onehop_precompiled.cpp "")
    add_library(onehop_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/onehop_precompiled.cpp)
    set_target_properties(onehop_precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(onehop_precompiled PRIVATE Threads::Threads)
    onehop_compile_options(onehop_precompiled)
    target_precompile_headers(onehop_precompiled PRIVATE ${onehop_standard_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM onehop_precompiled)
endfunction()

function(onehop_library name)
  cmake_parse_arguments(library "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target onehop_${name})
  add_library(${target} STATIC ${library_SOURCES})
  add_library(onehop::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY onehop_libraries ${target})
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM library_DEPENDS PREPEND onehop_)
  target_link_libraries(${target} PUBLIC ${library_DEPENDS} Threads::Threads)
  onehop_compile_options(${target})
  onehop_precompile(${target})
  install(TARGETS ${target} EXPORT onehop_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Writes NAME.pc, by which builds without CMake find a shared library, its headers in a folder of those that are
# installed, and variables if any are given.
function(onehop_pkg_config PC_NAME PC_DESCRIPTION PC_LIBRARY PC_FOLDER)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in ${PC_NAME}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
