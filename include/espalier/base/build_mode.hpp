// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

/// Drafts: without optimisation (-O0, so CMake's Debug and meson's debug), or with ESPALIER_DRAFT, an engine that every
/// program shares computes programs at run time, from a table of their steps, so no kernels are compiled and no header
/// of xsimd is read. This is for the builds between two edits: errors and plans are those of a full build.
///
/// choice   -DESPALIER_DRAFT is a draft with optimisation, too; -DESPALIER_DRAFT=0 is a full build without. What
///          promises bits or bytes (ESPALIER_SEPARATE_ROUNDING, ESPALIER_SMALL), and what nvcc compiles, is full
/// numbers  sums are in double, in another order than a kernel's: results agree as those of two processors do
/// cost     a step takes 10 to 100 times as long as kernels; threads of cpu_parallel<N> do nothing. A trainer may have
///          more bytes. A formula outside of a model may allocate when it runs
/// kernels  programs of 16-bit numbers, quantized models and bounded batches (up_to) keep their kernels, and so do
///          other devices
/// linking  device tags, and so models, tensors and all that is made of them, are other types than those of a full
///          build: files of both kinds are one program, and a function that takes a model of one kind does not link
///          with a call that has one of the other. All drafts of a program are compiled for the same processor
#if defined(ESPALIER_DRAFT)
#if 1 - ESPALIER_DRAFT - 1 == 2 || ESPALIER_DRAFT + 0  // defined as nothing, or as a number
#define ESPALIER_IS_DRAFT 1
#else
#define ESPALIER_IS_DRAFT 0
#endif
#elif defined(__GNUC__) && !defined(__OPTIMIZE__) && !defined(__CUDACC__) && !defined(ESPALIER_SMALL) && \
    !defined(ESPALIER_SEPARATE_ROUNDING) && !defined(ESPALIER_SCALAR_REGISTERS)
#define ESPALIER_IS_DRAFT 1
#else
#define ESPALIER_IS_DRAFT 0
#endif

// Part of the name of a type, for linkers only: messages of compilers leave it out, or print [abi:draft].
#if ESPALIER_IS_DRAFT && defined(__GNUC__) && !defined(__CUDACC__)
#define ESPALIER_BUILD_TAG [[gnu::abi_tag("draft")]]
#else
#define ESPALIER_BUILD_TAG
#endif

// Without optimisation g++ still optimises the loops of the engine.
#if ESPALIER_IS_DRAFT && defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#define ESPALIER_DRAFT_LOOP [[gnu::optimize("O3")]]
#else
#define ESPALIER_DRAFT_LOOP
#endif

namespace espalier {

struct ESPALIER_BUILD_TAG cpu;  // a tag is part of the first declaration; storage/device.hpp defines the type

/// Whether this file is compiled as a draft.
#if ESPALIER_IS_DRAFT
inline constexpr bool is_draft ESPALIER_BUILD_TAG = true;
#else
inline constexpr bool is_draft = false;
#endif
/// The kind of build in words, for a program's first line: "full build" or "draft".
inline constexpr char const* build_mode ESPALIER_BUILD_TAG = is_draft ? "draft" : "full build";

}  // namespace espalier
#include "diagnostics_pop.hpp"
