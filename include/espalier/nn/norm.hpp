// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Includes the norm layers.
#include "batch_norm.hpp"
#include "group_norm.hpp"
#include "instance_norm.hpp"
#include "layer_norm.hpp"
#include "rms_norm.hpp"
#include "sync_batch_norm.hpp"
#include "weight_norm.hpp"
