// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What kernels are compiled for: xsimd's architecture where xsimd has batches for the processor, else the compilers' vectors. ESPALIER_COMPILER_VECTORS
/// chooses the latter everywhere, without any header of xsimd: the cheapest compilation. The only file that includes xsimd.

#include "../../base/everywhere.hpp"

// nvcc compiles none of these kernels, and need not read the headers.
#if !defined(ESPALIER_COMPILER_VECTORS) && !defined(__CUDACC__)
#if __has_include(<xsimd/config/xsimd_config.hpp>)
#include <xsimd/config/xsimd_config.hpp>
#elif defined(__SSE2__) || defined(__aarch64__)
// As in base/supported.hpp: a file that cannot be included ends the compilation, and its name is the sentence.
#define ESPALIER_REQUIRES "espalier computes with xsimd: install it (Debian: libxsimd-dev), or compile with -DESPALIER_COMPILER_VECTORS"
#include ESPALIER_REQUIRES
#endif
#endif

/// Whether packs are xsimd's batches. Which architecture a version knows, it says itself. Not RISC-V's vectors: their register is a class of xsimd's, on which the
/// compilers' operators do not work; clang compiles its own vectors to the same instructions. Nor registers of more than 64 bytes, the most that kernels know.
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 512
#define ESPALIER_BATCHES 0
#elif XSIMD_WITH_SSE2 || XSIMD_WITH_NEON || XSIMD_WITH_NEON64 || XSIMD_WITH_SVE || XSIMD_WITH_WASM || XSIMD_WITH_VSX || XSIMD_WITH_VXE
#define ESPALIER_BATCHES 1
#else
#define ESPALIER_BATCHES 0
#endif

#if ESPALIER_BATCHES
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
// g++ warns of registers that its own header for AVX-512 leaves undefined on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu {

/// An instruction set: an architecture, and which extensions the translation unit was built for, of which xsimd tells fewer apart. It is part of every
/// kernel's type, so that translation units built with different flags keep their own kernels when they are linked together.
template <class Architecture, int Bytes, unsigned Extensions>
struct instructions {
  using architecture = Architecture;
  static constexpr int bytes = Bytes;
};
/// The compilers' vectors: on processors that xsimd does not know, and for registers that are narrower than the widest.
struct compiler_vectors {};

namespace detail {

constexpr unsigned extensions = 0u
#if defined(__SSE4_1__)
                                | 1u
#endif
#if defined(__AVX__)
                                | 2u
#endif
#if defined(__AVX2__)
                                | 4u
#endif
#if defined(__FMA__)
                                | 8u
#endif
#if defined(__AVX512F__)
                                | 16u
#endif
#if defined(__AVX512DQ__)
                                | 32u
#endif
#if defined(__AVX512BW__)
                                | 64u
#endif
#if defined(__AVX512VL__)
                                | 128u
#endif
#if defined(__AVX512VBMI__)
                                | 256u
#endif
#if defined(__AVX512IFMA__)
                                | 512u
#endif
#if defined(__BMI2__)
                                | 1024u
#endif
#if defined(__AVXVNNI__)
                                | 2048u
#endif
#if defined(__SSSE3__)
                                | 4096u
#endif
    ;

#if ESPALIER_BATCHES
using widest = xsimd::default_arch;
constexpr int widest_register = static_cast<int>(sizeof(xsimd::batch<float, widest>));
#else
using widest = compiler_vectors;
#if defined(__AVX512F__)
constexpr int widest_register = 64;
#elif defined(__AVX__)
constexpr int widest_register = 32;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 128
constexpr int widest_register = __ARM_FEATURE_SVE_BITS > 512 ? 64 : __ARM_FEATURE_SVE_BITS / 8;
#elif defined(__riscv_v_fixed_vlen) && __riscv_v_fixed_vlen > 128
constexpr int widest_register = __riscv_v_fixed_vlen > 512 ? 64 : __riscv_v_fixed_vlen / 8;
#else
constexpr int widest_register = 16;
#endif
#endif

/// Narrow registers are the compilers' vectors always: what xsimd leaves out of line for them would be compiled for more than they say.
template <int Bytes>
using instructions_of_width = instructions<compiler_vectors, Bytes, extensions>;

}  // namespace detail

using default_arch = instructions<detail::widest, detail::widest_register, detail::extensions>;

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
