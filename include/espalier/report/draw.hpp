// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Drawings: the architecture of a net, its traced program, its kernels, and the memory that they share.
#include "draw_architecture.hpp"
#include "draw_kernels.hpp"
#include "draw_memory.hpp"
#include "draw_program.hpp"
