// SPDX-License-Identifier: BSL-1.0
// The module `espalier`: import espalier; in place of the headers, with clang 19 or newer
// (docs/how_to_keep_compile_times_low.md). It exports what all headers for processors declare, with the linkage that the
// headers give it: files that import and files that include are one program. Macros are in <espalier/macros.hpp>.
module;

// A template of this module that calls a function of <immintrin.h>, which is static, does not find it from where the
// module is imported. The compiler's vectors do without, and become the same instructions.
#if !defined(ESPALIER_COMPILER_VECTORS) && !defined(ESPALIER_SCALAR_REGISTERS) && !defined(ESPALIER_SEPARATE_ROUNDING)
#define ESPALIER_COMPILER_VECTORS
#endif

// All headers of others that the library includes, so that nothing of them is exported. A check compares them.
#include <algorithm>
#include <array>
#include <bit>
#include <boost/hana/accessors.hpp>
#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>
#include <cassert>
#include <cerrno>
#include <cfloat>
#include <charconv>
#include <chrono>
#include <climits>
#include <clocale>
#include <cmath>
#include <concepts>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#endif
#if defined(ESPALIER_CBLAS)
#include <cblas.h>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif
#if __has_include(<zlib.h>)
#include <zlib.h>
#endif
#if __has_include(<flatbuffers/flatbuffers.h>)
#include <flatbuffers/flatbuffers.h>
#endif

export module espalier;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winclude-angled-in-module-purview"
export extern "C++" {
#include <espalier.hpp>

#include <espalier/data/cifar10.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/data/prefetcher.hpp>
#include <espalier/data/sharded.hpp>
#include <espalier/data/table.hpp>
#include <espalier/distributed.hpp>
#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/io/activation_ranges.hpp>
#include <espalier/io/checkpoint.hpp>
#include <espalier/io/cifar10.hpp>
#include <espalier/io/csv.hpp>
#include <espalier/io/dlpack.hpp>
#include <espalier/io/header.hpp>
#include <espalier/io/idx.hpp>
#include <espalier/io/llama2c.hpp>
#include <espalier/io/npy.hpp>
#include <espalier/io/onnx.hpp>
#include <espalier/io/onnx_quantized.hpp>
#include <espalier/io/read_quantized_onnx.hpp>
#include <espalier/model/best_parameters.hpp>
#include <espalier/model/calibration.hpp>
#include <espalier/model/constant_model.hpp>
#include <espalier/model/early_stopping.hpp>
#include <espalier/model/embedded.hpp>
#include <espalier/model/gradient_agrees.hpp>
#include <espalier/model/map_parameters.hpp>
#include <espalier/model/memory_of.hpp>
#include <espalier/model/quantized.hpp>
#include <espalier/model/result_calibration.hpp>
#include <espalier/nn/nam.hpp>
#include <espalier/parallel.hpp>
#include <espalier/report/draw.hpp>
#include <espalier/report/explain.hpp>
#include <espalier/report/memory_report.hpp>
#include <espalier/report/profile.hpp>
#include <espalier/report/summary.hpp>
#include <espalier/stream.hpp>
#include <espalier/up_to.hpp>
#if __has_include(<nlohmann/json.hpp>)
#include <espalier/io/json_state_dict.hpp>
#include <espalier/io/nam.hpp>
#include <espalier/io/rtneural.hpp>
#include <espalier/io/safetensors.hpp>
#endif
#if __has_include(<zlib.h>)
#include <espalier/io/npz.hpp>
#endif
#if __has_include(<flatbuffers/flatbuffers.h>)
#include <espalier/io/read_quantized_tflite.hpp>
#include <espalier/io/tflite.hpp>
#endif
}
#pragma clang diagnostic pop
