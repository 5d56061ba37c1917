// SPDX-License-Identifier: BSL-1.0
// What refused programs, reference cases and examples begin with, read once by the compiler for all of them
// (test/meson.build). Nothing depends on it: each includes what it uses.
#include <espalier.hpp>
