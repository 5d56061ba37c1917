// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

/// Error sentences of static_assert. If the compiler can compute messages (C++26), the facts follow the sentence:
///   static_assert(holds<inner_dimensions, Fit>,
///                 ESPALIER_SENTENCE("matmul(a, b): columns of a must equal rows of b", Fit));
///   error: static assertion failed: matmul(a, b): columns of a must equal rows of b; a is (8, 13), b is (12, 16)
/// The facts are relations or `invalid` types; one that agrees adds nothing. Other compilers print only the sentence.
///
/// ESPALIER_STATED(is_element<T>, T) and ESPALIER_STATED((Count >= 0), ESPALIER_NAMED("Count", Count)) are facts
/// without a relation. ESPALIER_UNLESS(Made::complete, Made) is for a relation whose result is not named `agree`.
/// They are printed if their condition is false.
///
/// ESPALIER_READS("got {}, needed {}") in a relation defines how its template arguments are printed; {...} stands for
/// all remaining ones. Without it, shapes and element types are printed with the operand names of the sentence. Types
/// with a name of their own, like channels<3>, are printed with that name.
///
/// ESPALIER_FACTS_HINT("; invalid<...> holds ...") adds where the facts are found, for compilers that do not print
/// them.
#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
#include "sentence_facts.hpp"
#define ESPALIER_SENTENCE(text, ...) (::espalier::detail::sentence<__VA_ARGS__>{text})
#define ESPALIER_READS(format) static constexpr char const* reads = format;
#define ESPALIER_FACTS_HINT(text)
#define ESPALIER_STATED(...) ::espalier::detail::stated<__VA_ARGS__>
#define ESPALIER_NAMED(...) ::espalier::detail::named<__VA_ARGS__>
#define ESPALIER_UNLESS(...) ::espalier::detail::unless<__VA_ARGS__>
#else
#define ESPALIER_SENTENCE(text, ...) text
#define ESPALIER_READS(format)
#define ESPALIER_FACTS_HINT(text) text
#endif
/// A member that does not exist, and the sentence that says what to write instead. Traits see that it does not exist.
/// Compilers that take no reason print the line.
#if defined(__cpp_deleted_function)
#define ESPALIER_DELETED(reason) = delete (reason)
#else
#define ESPALIER_DELETED(reason) = delete
#endif
