# SPDX-License-Identifier: BSL-1.0
# What the package's config and its CMakeLists.txt share.

# espalier_find_headers(REASON): finds the headers of others; REASON becomes the sentence that says which are missing, or empty.
function(espalier_find_headers reason)
  set(missing "")
  if(NOT TARGET Boost::hana AND NOT TARGET Boost::headers)
    find_path(espalier_BOOST_INCLUDE_DIR boost/hana/tuple.hpp HINTS ${Boost_INCLUDE_DIR} ${BOOST_ROOT} ${Boost_ROOT} PATH_SUFFIXES include
      DOC "the folder of Boost's headers, for espalier")
    if(NOT espalier_BOOST_INCLUDE_DIR)
      set(missing "<boost/hana/tuple.hpp> is not found: install Boost.Hana (libboost-dev), or set espalier_BOOST_INCLUDE_DIR")
    endif()
  endif()
  # On processors that xsimd does not know, and where espalier_COMPILER_VECTORS is set, the compilers' vectors do without.
  if(NOT espalier_COMPILER_VECTORS AND NOT TARGET xsimd)
    # Its package names the folder. The target itself is none of the project that adds this folder, so it is not linked.
    find_package(xsimd QUIET)
    if(TARGET xsimd)
      get_target_property(folder xsimd INTERFACE_INCLUDE_DIRECTORIES)
    endif()
    find_path(espalier_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp HINTS ${folder} DOC "the folder of xsimd's headers, for espalier")
    if(NOT espalier_XSIMD_INCLUDE_DIR AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86|x86_64|AMD64|amd64|i[3-6]86|aarch64|arm64|ARM64|armv[78].*)$")
      set(missing "<xsimd/xsimd.hpp> is not found: install xsimd (libxsimd-dev), set espalier_XSIMD_INCLUDE_DIR, or set espalier_COMPILER_VECTORS")
    endif()
  endif()
  set(${reason} "${missing}" PARENT_SCOPE)
endfunction()

# espalier_describe(TARGET FOLDER): what it takes to use the headers in FOLDER.
function(espalier_describe target folder)
  target_include_directories(${target} INTERFACE "${folder}")
  target_compile_features(${target} INTERFACE cxx_std_20)
  foreach(others Boost::hana Boost::headers)
    if(TARGET ${others})
      target_link_libraries(${target} INTERFACE ${others})
      break()
    endif()
  endforeach()
  if(espalier_COMPILER_VECTORS)
    target_compile_definitions(${target} INTERFACE ESPALIER_COMPILER_VECTORS)
  elseif(TARGET xsimd AND NOT espalier_XSIMD_INCLUDE_DIR)
    target_link_libraries(${target} INTERFACE xsimd)
  endif()
  foreach(others BOOST XSIMD)
    if(espalier_${others}_INCLUDE_DIR)
      target_include_directories(${target} SYSTEM INTERFACE "${espalier_${others}_INCLUDE_DIR}")
    endif()
  endforeach()
endfunction()

# espalier_describe_precompiled(TARGET HEADER): the same, with HEADER precompiled once for each program or library of several files.
function(espalier_describe_precompiled target header)
  target_link_libraries(${target} INTERFACE espalier::espalier)
  target_precompile_headers(${target} INTERFACE "${header}")
endfunction()

# espalier_import_module(TARGET): the files of TARGET can `import espalier;`, with clang 19 or newer. The module is compiled once for
# TARGET, with its options.
function(espalier_import_module target)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
    message(FATAL_ERROR "espalier_import_module: expected clang 19 or newer, got ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; "
      "include <espalier.hpp>")
  endif()
  find_file(espalier_MODULE espalier.cppm HINTS "${espalier_INCLUDE_DIR}" "${espalier_SOURCE_DIR}/include" NO_DEFAULT_PATH)
  # A copy, so that each target has its own options for the same source.
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}_espalier.cppm")
  set(compiled "${CMAKE_CURRENT_BINARY_DIR}/${target}_espalier.pcm")
  configure_file("${espalier_MODULE}" "${unit}" COPYONLY)
  add_library(${target}_espalier OBJECT "${unit}")
  set_source_files_properties("${unit}" PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++-module;-fmodule-output=${compiled}")
  target_link_libraries(${target}_espalier PRIVATE espalier::espalier)
  target_compile_options(${target}_espalier PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
  target_compile_definitions(${target}_espalier PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  target_link_libraries(${target} PRIVATE espalier::espalier "$<TARGET_OBJECTS:${target}_espalier>")
  set_property(TARGET ${target} ${target}_espalier PROPERTY CXX_SCAN_FOR_MODULES OFF)  # there is nothing to find
  # Each file of the target by itself: the module must not be given to its own compiler.
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS "-fmodule-file=espalier=${compiled}")
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${espalier_MODULE}")
  add_custom_target(${target}_espalier_compiled)  # files wait for targets of this kind, not for libraries
  add_dependencies(${target}_espalier_compiled ${target}_espalier)
  add_dependencies(${target} ${target}_espalier_compiled)
endfunction()

# espalier_add_cuda_kernels(TARGET [HEADERS FILE...]): TARGET is a library (OBJECT or STATIC) of all files that use <espalier/cuda.hpp>. The kernels that they
# launch are compiled by nvcc, for CMAKE_CUDA_ARCHITECTURES ("80-real;90-real;100" if that is empty), into a library that comes with TARGET wherever it is
# linked. FILE are headers with ops of the program's own. espalier_NVCC_FLAGS holds further arguments of nvcc.
function(espalier_add_cuda_kernels target)
  cmake_parse_arguments(given "" "" HEADERS ${ARGN})
  find_package(CUDAToolkit REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # -I/usr/include would put the C library's headers before those of the compiler.
  set(includes "$<REMOVE_DUPLICATES:$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include$>>")
  set(headers "")
  foreach(file ${given_HEADERS})
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND headers --headers "${file}")
  endforeach()
  set(arches ${CMAKE_CUDA_ARCHITECTURES})
  if(NOT arches)
    set(arches 80-real 90-real 100)
  endif()
  set(code "")
  foreach(arch ${arches})
    if(NOT arch MATCHES "^([0-9]+[a-z]?)(-real|-virtual)?$")
      list(APPEND code "-arch=${arch}")  # native, all
    elseif(CMAKE_MATCH_2 STREQUAL "-real")
      list(APPEND code "-gencode=arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_1}")
    elseif(CMAKE_MATCH_2 STREQUAL "-virtual")
      list(APPEND code "-gencode=arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1}")
    else()
      list(APPEND code "-gencode=arch=compute_${CMAKE_MATCH_1},code=[sm_${CMAKE_MATCH_1},compute_${CMAKE_MATCH_1}]")
    endif()
  endforeach()

  set(kernels "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
  add_custom_command(OUTPUT "${kernels}.cu" DEPENDS $<TARGET_OBJECTS:${target}> "${espalier_CUDA_KERNELS}" ${given_HEADERS} VERBATIM COMMAND_EXPAND_LISTS
    COMMENT "Writing the kernels of ${target}"
    COMMAND Python3::Interpreter "${espalier_CUDA_KERNELS}" ${headers} -o "${kernels}.cu" $<TARGET_OBJECTS:${target}>)
  add_custom_command(OUTPUT "${kernels}.o" DEPENDS "${kernels}.cu" DEPFILE "${kernels}.d" VERBATIM COMMAND_EXPAND_LISTS
    COMMENT "Compiling the kernels of ${target}"
    COMMAND "${CUDAToolkit_NVCC_EXECUTABLE}" -std=c++20 --expt-relaxed-constexpr -O2 ${code} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" ${espalier_NVCC_FLAGS}
      -MD -MF "${kernels}.d" -c "${kernels}.cu" -o "${kernels}.o")
  add_library(${target}_kernels STATIC "${kernels}.o")
  set_target_properties(${target}_kernels PROPERTIES LINKER_LANGUAGE CXX)
  set_source_files_properties("${kernels}.o" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_link_libraries(${target}_kernels PUBLIC CUDA::cublasLt CUDA::cudart_static)
  target_link_libraries(${target} PUBLIC CUDA::cublasLt CUDA::cudart_static INTERFACE ${target}_kernels)
endfunction()
