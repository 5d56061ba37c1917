// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The shapes of the norm rows, for every implementation's translation unit: EACH(N, D).
#define BENCH_LAYER_NORM_SHAPES(EACH) EACH(1, 256) EACH(32, 512) EACH(1024, 1024) EACH(8192, 4096)
#define BENCH_BATCH_NORM_SHAPES(EACH) EACH(128, 512) EACH(4096, 1024)
/// EACH(N, C, H, W)
#define BENCH_BATCH_NORM2D_SHAPES(EACH) EACH(32, 64, 28, 28)

/// Operands. LayerNorm and BatchNorm forward: x, weight, bias -> y; evaluation: x, weight, bias, running mean, running
/// variance -> y; forward and backward: x, weight, bias, dy -> y, dx, dweight, dbias.
namespace bench {
inline constexpr float norm_eps = 1e-5f;
}
