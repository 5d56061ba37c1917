// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <utility>

#include "../base/supported.hpp"

/// ESPALIER_MODULE. It names what nn/module.hpp declares, and includes nothing of it: files that import the library
/// include it alone.

#define ESPALIER_MEMBERS_SEPARATED "ESPALIER_MODULE(Net, a, b): members are separated by commas; a comma is missing"

#define ESPALIER_PARENTHESES ()
#define ESPALIER_EXPAND(...) ESPALIER_EXPAND_3(ESPALIER_EXPAND_3(ESPALIER_EXPAND_3(ESPALIER_EXPAND_3(__VA_ARGS__))))
#define ESPALIER_EXPAND_3(...) ESPALIER_EXPAND_2(ESPALIER_EXPAND_2(ESPALIER_EXPAND_2(ESPALIER_EXPAND_2(__VA_ARGS__))))
#define ESPALIER_EXPAND_2(...) ESPALIER_EXPAND_1(ESPALIER_EXPAND_1(ESPALIER_EXPAND_1(ESPALIER_EXPAND_1(__VA_ARGS__))))
#define ESPALIER_EXPAND_1(...) __VA_ARGS__
// The first eight names expand without recursion: in an error about a name, g++ prints every macro that it passed
// through.
#define ESPALIER_EACH(F, ...) __VA_OPT__(ESPALIER_EACH_8(F, __VA_ARGS__))
#define ESPALIER_EACH_8(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_7(F, __VA_ARGS__))
#define ESPALIER_EACH_7(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_6(F, __VA_ARGS__))
#define ESPALIER_EACH_6(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_5(F, __VA_ARGS__))
#define ESPALIER_EACH_5(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_4(F, __VA_ARGS__))
#define ESPALIER_EACH_4(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_3(F, __VA_ARGS__))
#define ESPALIER_EACH_3(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_2(F, __VA_ARGS__))
#define ESPALIER_EACH_2(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_1(F, __VA_ARGS__))
#define ESPALIER_EACH_1(F, First, ...) F(First) __VA_OPT__(ESPALIER_EXPAND(ESPALIER_EACH_ONE(F, __VA_ARGS__)))
#define ESPALIER_EACH_ONE(F, First, ...) F(First) __VA_OPT__(ESPALIER_EACH_AGAIN ESPALIER_PARENTHESES(F, __VA_ARGS__))
#define ESPALIER_EACH_AGAIN() ESPALIER_EACH_ONE
#define ESPALIER_VISIT_MEMBER(Name) espalier_visit(#Name, espalier_self.Name);
#define ESPALIER_NAME_MEMBER(Name) #Name,
#define ESPALIER_GET_MEMBER(Name) \
  , [](auto&& espalier_self) -> decltype(auto) { return (static_cast<decltype(espalier_self)&&>(espalier_self).Name); }
#define ESPALIER_COUNT_MEMBER(Name) +1
#define ESPALIER_TYPE_MEMBER(Name) , decltype(espalier_self.Name)

/// Makes an aggregate a module: lists its members (up to 340) for Hana and for the model, and adds the call operator
/// that records a call of forward. If a member is missing here, using the module does not compile.
// Its text is read in the program, where macros named `x`, `X` or `self` are not hidden; hence its long names.
#define ESPALIER_MODULE(Type, ...)                                                                                 \
  using is_module = void;                                                                                          \
  static_assert(::espalier::nn::detail::separated(#__VA_ARGS__), ESPALIER_MEMBERS_SEPARATED);                      \
  [[maybe_unused]] static constexpr int listed_member_count = 0 ESPALIER_EACH(ESPALIER_COUNT_MEMBER, __VA_ARGS__); \
  template <class EspalierSelf>                                                                                    \
  static auto member_types_of([[maybe_unused]] EspalierSelf& espalier_self)                                        \
      ->::espalier::nn::detail::types<void ESPALIER_EACH(ESPALIER_TYPE_MEMBER, __VA_ARGS__)>;                      \
  struct member_names {                                                                                            \
    [[maybe_unused]] static constexpr char const* at[listed_member_count + 1] = {                                  \
        ESPALIER_EACH(ESPALIER_NAME_MEMBER, __VA_ARGS__) ""};                                                      \
  };                                                                                                               \
  template <class EspalierSelf, class EspalierVisit>                                                               \
  static constexpr void visit_members([[maybe_unused]] EspalierSelf& espalier_self,                                \
                                      [[maybe_unused]] EspalierVisit&& espalier_visit) {                           \
    ESPALIER_EACH(ESPALIER_VISIT_MEMBER, __VA_ARGS__)                                                              \
  }                                                                                                                \
  struct hana_accessors_impl {                                                                                     \
    static constexpr auto apply() {                                                                                \
      return ::espalier::nn::detail::accessors<member_names>(                                                      \
          std::make_index_sequence<listed_member_count> {} ESPALIER_EACH(ESPALIER_GET_MEMBER, __VA_ARGS__));       \
    }                                                                                                              \
  };                                                                                                               \
  template <class... EspalierX>                                                                                    \
  constexpr auto operator()(EspalierX&&... espalier_x) const {                                                     \
    if constexpr ((::espalier::detail::marked_tensor<EspalierX> || ...))                                           \
      return ::espalier::detail::apply_module_to_temporary(*this, static_cast<EspalierX&&>(espalier_x)...);        \
    else return ::espalier::detail::apply_module(*this, espalier_x...);                                            \
  }
