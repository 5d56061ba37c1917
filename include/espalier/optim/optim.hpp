// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Every optimizer, one line each.
#include "adam.hpp"
#include "clip.hpp"
#include "sgd.hpp"
