# Looks for nvcc and enables CUDA: ONEHOP_HAVE_CUDA says whether it did.
#
# nvcc is taken from CUDACXX or PATH, or from CUDA_HOME, CUDA_PATH or /usr/local/cuda.
set(ONEHOP_CUDA "AUTO" CACHE STRING "Build the CUDA module: AUTO (where nvcc is found), ON, OFF")
set_property(CACHE ONEHOP_CUDA PROPERTY STRINGS AUTO ON OFF)
set(ONEHOP_HAVE_CUDA OFF)

# A sanitizer of the host cannot look into a device, and what runs on the host is tested without it.
if(NOT ONEHOP_CUDA STREQUAL "OFF" AND NOT ONEHOP_SANITIZE)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(onehop_nvcc nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
                 PATH_SUFFIXES bin NO_CACHE)
    if(onehop_nvcc)
      set(CMAKE_CUDA_COMPILER "${onehop_nvcc}")
    endif()
  endif()
  # There is machine code for Ampere, Hopper and Blackwell, and code that later devices compile. CMake itself
  # looks at CUDAARCHS in the first configuration of a build only.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)
    if(DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}")
    endif()
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit 12 QUIET)
    if(NOT CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12 OR NOT TARGET CUDA::cudart_static)
      set(problem "${CMAKE_CUDA_COMPILER} is version ${CMAKE_CUDA_COMPILER_VERSION}, or its static "
                  "runtime is missing: CUDA 12 or newer is needed")
    elseif(NOT cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
      # A CMake older than a major version of nvcc takes the C++ standard of nvcc from its own table.
      set(problem "CMake ${CMAKE_VERSION} does not know that nvcc ${CMAKE_CUDA_COMPILER_VERSION} "
                  "compiles C++20: use a newer one (pip install cmake)")
    else()
      set(ONEHOP_HAVE_CUDA ON)
      message(STATUS "CUDA module for ${CMAKE_CUDA_ARCHITECTURES} (${CMAKE_CUDA_COMPILER} "
                     "${CMAKE_CUDA_COMPILER_VERSION})")
    endif()
  else()
    set(problem "no nvcc found: install the CUDA toolkit, or name its compiler with "
                "-DCMAKE_CUDA_COMPILER=...")
  endif()
  if(NOT ONEHOP_HAVE_CUDA)
    string(CONCAT problem ${problem})
    if(ONEHOP_CUDA STREQUAL "ON")
      message(FATAL_ERROR "ONEHOP_CUDA is ON, but ${problem}; or set ONEHOP_CUDA to OFF")
    endif()
    message(NOTICE "-- CUDA module not built: ${problem}")
  endif()
endif()
