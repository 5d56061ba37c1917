// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../storage/half.hpp"
#include "vectors.hpp"

#include "../../../base/diagnostics_push.hpp"
ESPALIER_PRECISE_BEGIN
/// Registers of floats from numbers that are stored in 16 bits. Every 16-bit number is a float: nothing is rounded.
namespace espalier::on_cpu::detail {

/// The lanes of a register of floats, in 16 bits each and in 32.
template <class Arch>
struct widened_lanes {
  using registers = detail::registers<float, Arch>;
  using type = typename registers::type;
  using bits = typename registers::bits;
  using words = typename vector_of<unsigned short, registers::size * 2>::type;
};

template <class Arch>
ESPALIER_INLINE typename widened_lanes<Arch>::type floats_of(espalier::detail::top_of_binary32,
                                                             typename widened_lanes<Arch>::words x) {
  using lanes = widened_lanes<Arch>;
  return reinterpret_cast<typename lanes::type>(__builtin_convertvector(x, typename lanes::bits) << 16);
}
/// As binary16::widened, without branches.
template <class Arch>
ESPALIER_INLINE typename widened_lanes<Arch>::type floats_of(espalier::detail::binary16,
                                                             typename widened_lanes<Arch>::words x) {
  using lanes = widened_lanes<Arch>;
  using bits = typename lanes::bits;
  using signed_bits = typename lanes::registers::mask;
  bits const all = __builtin_convertvector(x, bits), rest = all & 0x7fffu, sign = (all & 0x8000u) << 16;
  signed_bits const order = reinterpret_cast<signed_bits>(rest);
  bits const normal = (rest + (112u << 10)) << 13, special = normal | 0x7f800000u;
  bits const small = reinterpret_cast<bits>(__builtin_convertvector(order, typename lanes::type) * 0x1p-24f);
  return reinterpret_cast<typename lanes::type>((order < 0x400 ? small : order >= 0x7c00 ? special : normal) | sign);
}

/// The first N numbers at `from`, 0 in the other lanes. Memory beyond them is not read.
template <class Arch, int N, class Format>
ESPALIER_INLINE typename widened_lanes<Arch>::type load_widened(espalier::detail::narrow_float<Format> const* from) {
  typename widened_lanes<Arch>::words x{};
  __builtin_memcpy(&x, from, N * 2);
  return floats_of<Arch>(Format{}, x);
}

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
