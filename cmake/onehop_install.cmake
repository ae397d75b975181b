# Installs the headers and the CMake package, so that find_package(onehop) gives onehop::onehop, and
# onehop::transport, onehop::lattice, onehop::solver, ... one by one.
include(CMakePackageConfigHelpers)

set(onehop_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onehop)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/onehop DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/include/onehop.h ${PROJECT_SOURCE_DIR}/include/onehop.f90
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT onehop_targets NAMESPACE onehop:: FILE onehop_targets.cmake
        DESTINATION ${onehop_package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/onehopConfig.cmake.in ${PROJECT_BINARY_DIR}/onehopConfig.cmake
  INSTALL_DESTINATION ${onehop_package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onehopConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onehopConfig.cmake ${PROJECT_BINARY_DIR}/onehopConfigVersion.cmake
        DESTINATION ${onehop_package_dir})
if(DEFINED SKBUILD_DATA_DIR)
  foreach(file IN ITEMS onehopConfig.cmake onehopConfigVersion.cmake)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/onehop_in_python.cmake RENAME ${file}
            DESTINATION ${SKBUILD_DATA_DIR}/lib/cmake/onehop)
  endforeach()
endif()
