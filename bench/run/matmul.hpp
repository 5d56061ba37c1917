// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The products: EACH(NAME, TRANSPOSED_A, TRANSPOSED_B, M, N, K): C (M, N) = A (M, K) B (K, N); a transposed operand is
/// stored the other way round. Those of few rows, and of 50 or 100 columns, are skinny: samples one by one, and the
/// hidden layers of MLPResNet.
#define BENCH_MATMUL_ROWS(EACH)                                       \
  EACH("matmul/128x512x784", false, false, 128, 512, 784)             \
  EACH("matmul/1024x1024x1024", false, false, 1024, 1024, 1024)       \
  EACH("matmul/64x128x784", false, false, 64, 128, 784)               \
  EACH("matmul_transposed_a/64x128x784", true, false, 64, 128, 784)   \
  EACH("matmul_transposed_b/64x128x784", false, true, 64, 128, 784)   \
  EACH("matmul_both_transposed/64x128x784", true, true, 64, 128, 784) \
  EACH("matmul_transposed_a/784x512x128", true, false, 784, 512, 128) \
  EACH("matmul_transposed_b/128x784x512", false, true, 128, 784, 512) \
  EACH("matmul/1x512x784", false, false, 1, 512, 784)                 \
  EACH("matmul/4x512x784", false, false, 4, 512, 784)                 \
  EACH("matmul/16x512x784", false, false, 16, 512, 784)               \
  EACH("matmul/100x50x100", false, false, 100, 50, 100)               \
  EACH("matmul/100x100x50", false, false, 100, 100, 50)               \
  EACH("matmul_transposed_b/100x50x100", false, true, 100, 50, 100)   \
  EACH("matmul_transposed_a/50x100x100", true, false, 50, 100, 100)
