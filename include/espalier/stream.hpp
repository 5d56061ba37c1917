// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Nets over sequences that arrive block by block: esp::stream{model, esp::batch<1, 64, 2>{}}.
#include "../espalier.hpp"
#include "model/stream.hpp"
#include "base/diagnostics_pop.hpp"
