# onehop_library(NAME SOURCES ... [DEPENDS library ...])
#
# One folder of src/ is one library, onehop::NAME, that sees the public headers and its own
# dependencies and nothing else.
include(GNUInstallDirs)
find_package(Threads REQUIRED)

function(onehop_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           $<$<BOOL:${ONEHOP_WERROR}>:-Werror>)
  # Where fusing multiplication and addition needs no asking, as on AArch64, it would hang on how code
  # was inlined, and so would bits. Kernels ask for it themselves.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
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

function(onehop_library name)
  cmake_parse_arguments(library "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target onehop_${name})
  add_library(${target} STATIC ${library_SOURCES})
  add_library(onehop::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
                                             CXX_VISIBILITY_PRESET hidden)
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM library_DEPENDS PREPEND onehop_)
  target_link_libraries(${target} PUBLIC ${library_DEPENDS} Threads::Threads)
  onehop_compile_options(${target})
  install(TARGETS ${target} EXPORT onehop_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
