// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "vectors.hpp"

namespace espalier::on_cpu::detail {

/// Bytes bytes of integers that behave like a number, as pack does: for bodies that run on both. Unsigned ones wrap
/// around. Multiplications by constants are shifts and sums, which compilers choose.
template <class Integer, int Bytes>
struct integer_pack {
  using value_type = Integer;
  using register_type = typename vector_of<Integer, Bytes>::type;
  static constexpr int size = Bytes / static_cast<int>(sizeof(Integer));
  register_type value;

  integer_pack() = default;
  ESPALIER_INLINE integer_pack(register_type x) : value{x} {}
  ESPALIER_INLINE integer_pack(Integer x) : value{register_type{} + x} {}

  static ESPALIER_INLINE integer_pack load(Integer const* from) {
    integer_pack r;
    __builtin_memcpy(&r.value, from, sizeof r.value);
    return r;
  }
  ESPALIER_INLINE void store(Integer* to) const { __builtin_memcpy(to, &value, sizeof value); }

  friend ESPALIER_INLINE integer_pack operator+(integer_pack a, integer_pack b) { return a.value + b.value; }
  friend ESPALIER_INLINE integer_pack operator-(integer_pack a, integer_pack b) { return a.value - b.value; }
  friend ESPALIER_INLINE integer_pack operator*(integer_pack a, integer_pack b) { return a.value * b.value; }
  friend ESPALIER_INLINE integer_pack operator-(integer_pack a) { return -a.value; }
  friend ESPALIER_INLINE integer_pack fma(integer_pack a, integer_pack b, integer_pack c) {
    return a.value * b.value + c.value;
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
