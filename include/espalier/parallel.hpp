// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Threads: esp::model<Net, esp::cpu_parallel<2>> beside <espalier.hpp>.
#include "device/cpu/parallel.hpp"
