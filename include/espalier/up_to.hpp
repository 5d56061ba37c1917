// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Batches whose number of samples is known at run time: esp::batch<esp::up_to<64>, 8, 8>.
#include "../espalier.hpp"
#include "model/bounded_trainer.hpp"
