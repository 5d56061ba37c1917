// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// The instruction set that kernels are compiled for: xsimd's architecture if xsimd has batches for the processor,
/// otherwise the compilers' vectors. ESPALIER_COMPILER_VECTORS selects the latter everywhere, without any header of
/// xsimd, which compiles fastest; so does ESPALIER_SEPARATE_ROUNDING, with packs of 16 bytes. Processors without vector
/// registers have registers of scalars, which ESPALIER_SCALAR_REGISTERS selects everywhere: tests run them on any
/// processor. Drafts (base/build_mode.hpp) do without xsimd, too. This is the only file that includes it.

#include <type_traits>

#include "../../../base/build_mode.hpp"
#include "../../../base/host_device.hpp"
#include "../../../base/small.hpp"

// nvcc compiles none of these kernels, so the headers are left out.
#if !defined(ESPALIER_COMPILER_VECTORS) && !defined(ESPALIER_SEPARATE_ROUNDING) && \
    !defined(ESPALIER_SCALAR_REGISTERS) && !ESPALIER_IS_DRAFT && !defined(__CUDACC__)
#if __has_include(<xsimd/config/xsimd_config.hpp>)
#include <xsimd/config/xsimd_config.hpp>
#elif defined(__SSE2__) || defined(__aarch64__)
// As in base/supported.hpp: a file that cannot be included ends the compilation, and its name is the error message.
#define ESPALIER_REQUIRES \
  "espalier requires xsimd: install it (Debian: libxsimd-dev), or compile with -DESPALIER_COMPILER_VECTORS"
#include ESPALIER_REQUIRES
#endif
#endif

// Whether packs are xsimd's batches. Each version of xsimd declares the architectures that it supports. RISC-V's
// vectors are excluded: their register is a class of xsimd, on which the compilers' operators do not work. clang
// compiles its own vectors to the same instructions. Registers of more than 64 bytes are excluded, too: kernels support
// no more.
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 512
#define ESPALIER_BATCHES 0
#elif XSIMD_WITH_SSE2 || XSIMD_WITH_NEON || XSIMD_WITH_NEON64 || XSIMD_WITH_SVE || XSIMD_WITH_WASM || \
    XSIMD_WITH_VSX || XSIMD_WITH_VXE
#define ESPALIER_BATCHES 1
#else
#define ESPALIER_BATCHES 0
#endif

#if ESPALIER_BATCHES
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
// g++ warns of registers that its own header for AVX-512 leaves undefined intentionally.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop
#endif

namespace espalier::on_cpu {

/// An instruction set: an architecture, and the extensions that the translation unit is built for, of which xsimd
/// distinguishes fewer. It is part of every kernel's type, so that translation units built with different flags keep
/// their own kernels when they are linked.
template <class Architecture, int Bytes, unsigned Extensions>
struct instruction_set {
  using architecture = Architecture;
  static constexpr int bytes = Bytes;
};
/// The compilers' vectors: for processors that xsimd does not support, and for registers that are narrower than the
/// widest.
struct compiler_vectors {};
/// Registers of scalars: for processors without vector registers (scalar_registers.hpp).
struct scalar_registers {};

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
#if defined(ESPALIER_SEPARATE_ROUNDING)
                                | 8192u
#endif
#if defined(__AVX512VNNI__)
                                | 16384u
#endif
#if defined(__ARM_FEATURE_DOTPROD)
                                | 32768u
#endif
#if ESPALIER_IS_SMALL
                                | 65536u
#endif
#if defined(__OPTIMIZE_SIZE__)
                                | 131072u
#endif
#if ESPALIER_IS_DRAFT
                                | 262144u
#endif
    ;

/// Whether the processor has vector registers.
#if defined(ESPALIER_SCALAR_REGISTERS)
constexpr bool has_vectors = false;
#elif ESPALIER_BATCHES || defined(__SSE2__) || defined(__aarch64__) || defined(__ARM_NEON) ||                     \
    defined(__ARM_FEATURE_MVE) || defined(__wasm_simd128__) || defined(__ALTIVEC__) || defined(__riscv_vector) || \
    defined(__VX__) || defined(__mips_msa) || defined(__loongarch_sx)
constexpr bool has_vectors = true;
#else
constexpr bool has_vectors = false;
#endif
/// Without xsimd.
using plain_registers = std::conditional_t<has_vectors, compiler_vectors, scalar_registers>;

#if ESPALIER_BATCHES
using widest = xsimd::default_arch;
constexpr int widest_register = static_cast<int>(sizeof(xsimd::batch<float, widest>));
#else
using widest = plain_registers;
#if defined(ESPALIER_SEPARATE_ROUNDING) || defined(ESPALIER_SCALAR_REGISTERS) || ESPALIER_IS_DRAFT
constexpr int widest_register = 16;
#elif defined(__AVX512F__)
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

/// Whether kernels have long bodies: many terms without a loop, several kernels in one function. Processors without
/// vector registers compute a pack number by number: there the bodies gain nothing, and cost 40 KB of a Cortex-M's
/// flash for a product of 64 by 16. No result depends on it.
#if defined(__OPTIMIZE_SIZE__) || ESPALIER_IS_SMALL
constexpr bool has_long_bodies = false;
constexpr int scalar_rows = 1;
#else
constexpr bool has_long_bodies = has_vectors;
/// Rows of a matrix that a product of scalars adds in each iteration: from one to the next, g++ copies some sums.
constexpr int scalar_rows = 4;
#endif

template <int Bytes>
using vectors_of_width = instruction_set<compiler_vectors, Bytes, extensions>;
template <int Bytes>
using scalars_of_width = instruction_set<scalar_registers, Bytes, extensions>;
/// Narrow registers are never xsimd's: its functions that are not inlined would be compiled for more extensions than
/// their names state.
template <int Bytes>
using instruction_set_of_width = instruction_set<plain_registers, Bytes, extensions>;

/// Whether packs of Arch are scalars, and kernels may add in an order that suits them. With separate rounding, every
/// processor has the order of vectors.
template <class Arch>
constexpr bool adds_scalars = false;
template <int Bytes, unsigned Extensions>
constexpr bool adds_scalars<instruction_set<scalar_registers, Bytes, Extensions>> = (Extensions & 8192u) == 0;

}  // namespace detail

/// Whether kernels of an instruction set are compiled for size: ESPALIER_SMALL is defined (base/small.hpp).
template <class Arch>
inline constexpr bool is_small = false;
template <class Architecture, int Bytes, unsigned Extensions>
inline constexpr bool is_small<instruction_set<Architecture, Bytes, Extensions>> = (Extensions & 65536u) != 0;

/// Whether programs of an instruction set are drafts.
template <class Arch>
inline constexpr bool is_draft_of = false;
template <class Architecture, int Bytes, unsigned Extensions>
inline constexpr bool is_draft_of<instruction_set<Architecture, Bytes, Extensions>> = (Extensions & 262144u) != 0;

/// Whether fused groups that are kernels of their own compute number by number: those programs, and with -Os all for
/// processors without vector registers. There a training of the digits net takes 14.2 KB of a Cortex-M7's flash instead
/// of 19.4, and a step 1.08 times the instructions (clang 1.14).
template <class Arch>
inline constexpr bool has_small_groups = is_small<Arch>;
template <int Bytes, unsigned Extensions>
inline constexpr bool has_small_groups<instruction_set<scalar_registers, Bytes, Extensions>> = (Extensions &
                                                                                                (65536u | 131072u)) !=
                                                                                               0;

using default_arch = instruction_set<detail::widest, detail::widest_register, detail::extensions>;

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
