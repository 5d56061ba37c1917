// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Every optimizer, one line each; what wraps them; schedules.
#include "adam.hpp"
#include "clip.hpp"
#include "decay_only.hpp"
#include "decoupled.hpp"
#include "penalized.hpp"
#include "schedule.hpp"
#include "sgd.hpp"
