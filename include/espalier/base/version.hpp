// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

/// The version: three numbers, one number to compare with (#if ESPALIER_VERSION >= 500 is 0.5.0 or later), and text.
/// Below 1.0.0, a new second number may require changes in your program.
#define ESPALIER_VERSION_MAJOR 0
#define ESPALIER_VERSION_MINOR 7
#define ESPALIER_VERSION_PATCH 0
#define ESPALIER_VERSION (ESPALIER_VERSION_MAJOR * 10000 + ESPALIER_VERSION_MINOR * 100 + ESPALIER_VERSION_PATCH)
#define ESPALIER_VERSION_STRING "0.7.0"
