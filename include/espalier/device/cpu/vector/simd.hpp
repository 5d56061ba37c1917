// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Registers of numbers with arithmetic and elementary functions.
#include "elementary.hpp"
#include "pack.hpp"
