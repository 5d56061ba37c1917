# SPDX-License-Identifier: BSL-1.0
# The library of the repository that this port is part of: vcpkg install espalier --overlay-ports=espalier/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/include/espalier.hpp")
  message(FATAL_ERROR "espalier: this port is part of the repository; ${SOURCE_PATH} has no include/espalier.hpp")
endif()

set(VCPKG_BUILD_TYPE release)  # headers only: one configuration is all
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DESPALIER_INSTALL=ON
    -DESPALIER_INSTALL_CMAKEDIR=share/espalier)  # where vcpkg has the packages of its ports
vcpkg_cmake_install()

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
