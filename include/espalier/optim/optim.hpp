// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Includes every optimizer, the wrappers of optimizers and the schedules.
#include "adam.hpp"
#include "clip.hpp"
#include "decay_only.hpp"
#include "decoupled.hpp"
#include "lazy.hpp"
#include "penalized.hpp"
#include "rms_prop.hpp"
#include "scale_loss.hpp"
#include "schedule.hpp"
#include "sgd.hpp"
#include "sharded.hpp"
