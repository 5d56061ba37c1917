// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The shapes of the softmax cross-entropy rows, EACH(N, C): scores, labels -> mean loss, gradient of the scores.
#define BENCH_SOFTMAX_SHAPES(EACH) EACH(128, 10) EACH(1024, 1000) EACH(64, 50257)
