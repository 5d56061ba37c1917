// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Several CPU threads: esp::model<Net, esp::cpu_parallel<2>>. Include it together with <espalier.hpp>.
#include "device/cpu/thread/parallel.hpp"
#include "base/diagnostics_pop.hpp"
