#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds tests for 64-bit ARM with Debian's cross compiler and runs them in an emulator: on batches of xsimd, also with clang where it is there, and on the
# compiler's vectors.
#   test/tools/cross_aarch64.sh FOLDER [TEST...]      TEST: device/cpu/vector/simd, ...; without any, those below
# Packages: g++-aarch64-linux-gnu qemu-user libboost-dev libboost-test-dev libxsimd-dev (headers only: Boost.Test is compiled into each test).
# XSIMD_INCLUDE names the folder of another xsimd; NEWER_XSIMD_INCLUDE that of one that knows SVE (13 or later), whose registers of 256 bits are tried then.
# The exit status is 0 if every test compiled without a warning and passed; 77 if a tool is missing.
set -u
cd "$(dirname "$0")/../.."
folder=${1:?usage: cross_aarch64.sh FOLDER [TEST...]}; shift
tests=${*:-device/cpu/vector/simd device/cpu/vector/elementary device/cpu/product/contract device/cpu/product/contract_int8 device/cpu/kernel/winograd_int8 plan/rows}
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do command -v "$tool" >/dev/null || { echo "cross_aarch64: there is no $tool"; exit 77; }; done

# Of the machine's own headers only those that are libraries without a processor.
mkdir -p "$folder/include"
ln -sfn /usr/include/boost "$folder/include/boost"
ln -sfn "${XSIMD_INCLUDE:-/usr/include}/xsimd" "$folder/include/xsimd"

[ -z "${NEWER_XSIMD_INCLUDE:-}" ] || { mkdir -p "$folder/newer"; ln -sfn /usr/include/boost "$folder/newer/boost"; ln -sfn "$NEWER_XSIMD_INCLUDE/xsimd" "$folder/newer/xsimd"; }

# build TEST WAY. Boost.Test is included before the test is, so that nothing need be linked; the test's own name for itself comes second then.
build() {
  local of_way=(-isystem "$folder/include") compiler=(aarch64-linux-gnu-g++)
  case $2 in
    clang) compiler=(clang++-19 --target=aarch64-linux-gnu) ;;
    compiler_vectors) of_way+=(-DESPALIER_COMPILER_VECTORS) ;;
    sve) of_way=(-isystem "$folder/newer" -march=armv8.2-a+sve -msve-vector-bits=256) ;;
  esac
  "${compiler[@]}" -std=c++20 -O2 -static -Iinclude -Itest "${of_way[@]}" -DBOOST_TEST_MODULE=aarch64 \
    -include boost/test/included/unit_test.hpp -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow "test/$1.cpp" -o "$folder/${1//\//_}_$2"
}

# one TEST WAY: compiles and runs it; the reason is told if that does not work.
one() {
  local program=$folder/${1//\//_}_$2 log=$folder/${1//\//_}_$2.log
  if ! build "$1" "$2" >"$log" 2>&1; then echo "FAILED: $1 ($2) does not compile"; head -n 40 "$log"; return 1; fi
  # Of all warnings only the one about the name is expected.
  if grep 'warning:' "$log" | grep -qv 'BOOST_TEST_MODULE.* redefined'; then echo "FAILED: $1 ($2) warns"; grep 'warning:' "$log" | head -n 20; return 1; fi
  if qemu-aarch64 -cpu max,sve256=on "$program" --color_output=no >"$log" 2>&1; then echo "passed: $1 ($2)"; else echo "FAILED: $1 ($2)"; tail -n 40 "$log"; return 1; fi
}

export folder
export -f one build
# shellcheck disable=SC2016
{ printf '%s xsimd\n' $tests; printf '%s compiler_vectors\n' device/cpu/vector/simd plan/rows; ! command -v clang++-19 >/dev/null || printf '%s clang\n' device/cpu/vector/simd plan/rows; [ ! -d "$folder/newer" ] || printf '%s sve\n' device/cpu/vector/simd plan/rows; } | xargs -P "$(nproc)" -I '{}' bash -c 'one {}'
[ $? -eq 0 ] || exit 1
