// SPDX-License-Identifier: BSL-1.0
// What a precompiled header of programs has: espalier::precompiled in CMake, the variable precompiled_header of the dependency in meson.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
