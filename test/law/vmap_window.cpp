// SPDX-License-Identifier: BSL-1.0
// The ops of the test device_cuda_every_op_window under vmap, sample by sample.
#define EVERY_OP_BY_SAMPLE
#include "../device/cuda/every_op_window.cpp"
