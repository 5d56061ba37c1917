# SPDX-License-Identifier: BSL-1.0
# Runs a portfile without vcpkg: cmake -DPORT_FOLDER=... -DWORK=... -P run.cmake. The functions do what vcpkg's of these names do with these arguments.
get_filename_component(PORT "${PORT_FOLDER}" NAME)
set(CURRENT_PORT_DIR "${PORT_FOLDER}")
set(CURRENT_BUILDTREES_DIR "${WORK}/buildtrees/${PORT}")
set(CURRENT_PACKAGES_DIR "${WORK}/packages/${PORT}")

function(execute)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}: ${ARGN}")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure: not known here: ${given_UNPARSED_ARGUMENTS}")
  endif()
  execute("${CMAKE_COMMAND}" -S "${given_SOURCE_PATH}" -B "${CURRENT_BUILDTREES_DIR}" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DCMAKE_BUILD_TYPE=Release ${given_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  execute("${CMAKE_COMMAND}" --build "${CURRENT_BUILDTREES_DIR}" --target install)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" "FILE_LIST")
  list(LENGTH given_FILE_LIST count)
  if(given_UNPARSED_ARGUMENTS OR NOT count EQUAL 1)
    message(FATAL_ERROR "vcpkg_install_copyright: expected one file, got ${ARGN}")
  endif()
  file(INSTALL "${given_FILE_LIST}" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()

include("${PORT_FOLDER}/portfile.cmake")
