// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Nets of Linear layers with ReLU between them, one example at a time: EACH(In, A, B, Out).
/// Operands: x, then weight (in, out) and bias of each layer -> y.
#define BENCH_INFERENCE_NETS(EACH) EACH(16, 32, 32, 4) EACH(64, 64, 64, 1)
