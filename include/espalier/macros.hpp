// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/host_device.hpp"
#include "base/version.hpp"
#include "nn/module_macro.hpp"

/// The macros of the library, for files that import it: ESPALIER_MODULE, ESPALIER_HOST_DEVICE and the version. A module
/// exports none.
