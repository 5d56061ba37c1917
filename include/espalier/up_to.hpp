// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Batches whose number of samples is known at run time: esp::batch<esp::up_to<64>, 8, 8>.
#include "../espalier.hpp"
#include "model/bounded_trainer.hpp"
#include "base/diagnostics_pop.hpp"
