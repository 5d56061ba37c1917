// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Nets over sequences that arrive block by block: esp::stream{model, esp::batch<1, 64, 2>{}}.
#include "../espalier.hpp"
#include "model/stream.hpp"
