// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

/// The sentence of a static_assert, followed by the facts where the compiler can say them (C++26: a message that is computed):
///   static_assert(holds<inner_dimensions, Fit>, ESPALIER_SENTENCE("matmul(a, b): columns of a must equal rows of b", Fit));
///   error: static assertion failed: matmul(a, b): columns of a must equal rows of b; a is (8, 13), b is (12, 16)
/// The facts are relations or refusals; one that agrees says nothing. Other compilers print the sentence and see nothing of its facts.
/// Facts that no relation holds: ESPALIER_STATED(is_element<T>, T), ESPALIER_STATED((Count >= 0), ESPALIER_NAMED("Count", Count)); a relation whose answer
/// is not called `agree`: ESPALIER_UNLESS(well_made<Net>::known, well_made<Net>). They speak where their condition is false.
///
/// ESPALIER_READS("{} given, {} needed") in a relation says how its template arguments are read; {...} stands for all that are left. Without it shapes and
/// element types have the names that the sentence gives them, and what has a name of its own, like channels<3>, keeps that.
/// ESPALIER_WHERE_IT_STANDS("; refused<...> holds ...") says where the facts are to be found, to those that have to look for them.
#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
#include "sentence_facts.hpp"
#define ESPALIER_SENTENCE(text, ...) (::espalier::detail::sentence<__VA_ARGS__>{text})
#define ESPALIER_READS(format) static constexpr char const* reads = format;
#define ESPALIER_WHERE_IT_STANDS(text)
#define ESPALIER_STATED(...) ::espalier::detail::stated<__VA_ARGS__>
#define ESPALIER_NAMED(...) ::espalier::detail::named<__VA_ARGS__>
#define ESPALIER_UNLESS(...) ::espalier::detail::unless<__VA_ARGS__>
#else
#define ESPALIER_SENTENCE(text, ...) text
#define ESPALIER_READS(format)
#define ESPALIER_WHERE_IT_STANDS(text) text
#endif
