// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <cstdint>
#include <type_traits>

#include "build_mode.hpp"
#include "invalid.hpp"
#include "real.hpp"
#include "sentence.hpp"

/// The names that <espalier.hpp> declares, and that headers of their own define. A use without that header is one error
/// that names it. A header marks itself by ESPALIER_HEADER_INCLUDED, and what stands here then takes no part.
/// Classes that programs name with template arguments, and other types, are declared: compilers print the line of the
/// declaration, where the comment names the header.
namespace espalier {
namespace detail {

/// One for each header.
namespace headers {
struct stream;
struct up_to;
struct calibration;
struct result_calibration;
struct quantized;
struct gradient_average;
struct gradient_agrees;
struct constant_model;
struct summary;
struct explain;
struct memory_report;
struct draw_architecture;
struct draw_kernels;
struct draw_memory;
struct draw_program;
struct profile;
struct dataset;
struct loader;
struct prefetcher;
struct cifar10;
struct read_cifar10;
struct table;
struct sharded;
struct activation_ranges;
struct checkpoint;
struct csv;
struct dlpack;
struct header;
struct idx;
struct json_state_dict;
struct llama2c;
struct nam;
struct npy;
struct npz;
struct onnx;
struct onnx_quantized;
struct read_quantized_onnx;
struct read_quantized_tflite;
struct tflite;
struct rtneural;
struct safetensors;
}  // namespace headers

template <class Header, class... X>
inline constexpr bool is_included = false;
/// An argument of the class that stands for a class template of a missing header.
template <class Header, class... X>
struct needs_header {};
/// Whether one of them is what a missing header left behind: its error was reported.
template <class... X>
inline constexpr bool reported = (requires { typename X::stands_for_header; } || ...);

/// What stands for an object or a result whose header is missing. It accepts calls without a further error.
struct without_header : invalid<already_reported> {
  using stands_for_header = void;
  constexpr char const* c_str() const { return ""; }
  constexpr without_header at(auto const&...) const { return {}; }
  constexpr void reset() const {}
  constexpr without_header ranges() const { return {}; }
  constexpr without_header epoch(auto const&...) const { return {}; }
};

/// up_to<N> is this mark minus N. It is far from every extent, and from the -1 of reshape<-1, 8>, so that no arithmetic
/// on extents produces it by mistake. Compilers print up_to<64> as -1000000064.
inline constexpr int up_to_mark = -1'000'000'000;
inline constexpr int largest_up_to = 1'000'000;

}  // namespace detail

#define ESPALIER_HEADER_INCLUDED(header) \
  template <class... X>                  \
  inline constexpr bool espalier::detail::is_included<espalier::detail::headers::header, X...> = true
/// The guide of a class template whose arguments the compiler finds, its specialization for a missing header, which
/// asserts, and the constructor of that. `...`: the arguments behind the first.
#define ESPALIER_GUIDE_OF_HEADER(header, name, ...)                                                   \
  template <class... X>                                                                               \
    requires(!::espalier::detail::is_included<::espalier::detail::headers::header, X...>)             \
  name(X const&...)                                                                                   \
  ->name<::espalier::detail::needs_header<::espalier::detail::headers::header, X...> __VA_ARGS__>;    \
  template <class... X>                                                                               \
  class name<::espalier::detail::needs_header<::espalier::detail::headers::header, X...> __VA_ARGS__> \
      : public ::espalier::detail::without_header
/// A function, with or without template arguments that are types.
#define ESPALIER_FUNCTION_OF_HEADER(header, name)                                                     \
  template <class... Written, class... X>                                                             \
    requires(!::espalier::detail::is_included<::espalier::detail::headers::header, Written..., X...>) \
  constexpr ::espalier::detail::without_header name(X const&...)
/// The same for a function whose template arguments are always written. Argument-dependent lookup then finds no such
/// function for a call of one of the program's own.
#define ESPALIER_REPORT_OF_HEADER(header, name)                                                              \
  template <class First, class... Written, class... X>                                                       \
    requires(!::espalier::detail::is_included<::espalier::detail::headers::header, First, Written..., X...>) \
  constexpr ::espalier::detail::without_header name(X const&...)

template <class Model, class Block, int Axis, int Context, class Found>
class stream;  // include <espalier/stream.hpp>
ESPALIER_GUIDE_OF_HEADER(stream, stream, , void, 0, 0, void) {
  static_assert(espalier::detail::reported<X...>, "stream: include <espalier/stream.hpp>");

 public:
  stream(auto const&...) {}
};
/// The axis along which a stream is cut into blocks: esp::stream{model, esp::batch<1, 2, 64>{}, esp::time_axis<2>{}}.
template <int Axis>
struct time_axis {};

/// How many steps attention looks at in a stream, the present one included:
/// esp::stream{model, esp::batch<1, 1, 64>{}, esp::context<256>{}}.
template <int Steps>
struct context {
  static_assert(Steps > 0, "esp::context<steps>: attention looks at least at the present step");
};

template <class Model, class Batch, class Found, bool Results>
class calibration;  // include <espalier/model/calibration.hpp>
ESPALIER_GUIDE_OF_HEADER(calibration, calibration, , void, void, false) {
  static_assert(espalier::detail::reported<X...>, "calibration: include <espalier/model/calibration.hpp>");

 public:
  calibration(auto const&...) {}
};
template <class Model, class Batch>
class result_calibration;  // include <espalier/model/result_calibration.hpp>
ESPALIER_GUIDE_OF_HEADER(result_calibration, result_calibration, , void) {
  static_assert(espalier::detail::reported<X...>,
                "result_calibration: include <espalier/model/result_calibration.hpp>");

 public:
  result_calibration(auto const&...) {}
};
template <class Model, class Batch, class Found>
class quantized;  // include <espalier/model/quantized.hpp>
ESPALIER_GUIDE_OF_HEADER(quantized, quantized, , void, void) {
  static_assert(espalier::detail::reported<X...>, "quantized: include <espalier/model/quantized.hpp>");

 public:
  quantized(auto const&...) {}
};
template <class Model>
class gradient_average;  // include <espalier/distributed.hpp>
ESPALIER_GUIDE_OF_HEADER(gradient_average, gradient_average, ) {
  static_assert(espalier::detail::reported<X...>, "gradient_average: include <espalier/distributed.hpp>");

 public:
  gradient_average(auto const&...) {}
};
template <class Net, class T = float>
class constant_model : public espalier::detail::without_header {
  static_assert(espalier::detail::reported<Net, T>, "constant_model: include <espalier/model/constant_model.hpp>");

 public:
  constexpr constant_model(auto const&...) {}
};
/// The number of samples of a batch whose size is a run-time number from 1 to N: batch<up_to<64>, 8, 8>. A program for
/// it is compiled and planned once, and its cost is in proportion to the number of samples that a call passes.
/// shape   the first extent of a batch; nowhere else
/// errors  N below 2 or above 1000000 does not compile, nor does a tensor of such a shape, which has no size
template <int N>
inline constexpr int up_to = [] {
  constexpr bool fits = N >= 2 && N <= detail::largest_up_to;
  static_assert(fits, ESPALIER_SENTENCE("up_to<N>: N must be 2 to 1000000; for batches of one sample, write 1",
                                        ESPALIER_STATED(fits, ESPALIER_NAMED("N", N))));
  constexpr bool included = detail::is_included<detail::headers::up_to, std::integral_constant<int, N>>;
  static_assert(included, "up_to<N>: include <espalier/up_to.hpp>");
  return included ? detail::up_to_mark - (fits ? N : 2) : N;
}();

class sample_count_error;  // include <espalier/up_to.hpp>
class quantization_error;  // include <espalier/model/quantized.hpp>
class samples_error;       // include <espalier/distributed.hpp>
class mpi;                 // include <espalier/mpi.hpp>

ESPALIER_FUNCTION_OF_HEADER(gradient_agrees, gradient_agrees) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "gradient_agrees: include <espalier/eager/gradient_agrees.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(summary, summary) {
  static_assert(espalier::detail::reported<First, Written..., X...>, "summary: include <espalier/report/summary.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(explain, explain) {
  static_assert(espalier::detail::reported<First, Written..., X...>, "explain: include <espalier/report/explain.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(memory_report, memory_report) {
  static_assert(espalier::detail::reported<First, Written..., X...>,
                "memory_report: include <espalier/report/memory_report.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(draw_architecture, draw_architecture) {
  static_assert(espalier::detail::reported<First, Written..., X...>,
                "draw_architecture: include <espalier/report/draw.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(draw_kernels, draw_kernels) {
  static_assert(espalier::detail::reported<First, Written..., X...>,
                "draw_kernels: include <espalier/report/draw.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(draw_memory, draw_memory) {
  static_assert(espalier::detail::reported<First, Written..., X...>, "draw_memory: include <espalier/report/draw.hpp>");
  return {};
}
ESPALIER_REPORT_OF_HEADER(draw_program, draw_program) {
  static_assert(espalier::detail::reported<First, Written..., X...>,
                "draw_program: include <espalier/report/draw.hpp>");
  return {};
}
template <class Device = cpu>
struct profiled;  // include <espalier/report/profile.hpp>
ESPALIER_FUNCTION_OF_HEADER(profile, profile_of) {
  static_assert(espalier::detail::reported<Written..., X...>, "profile_of: include <espalier/report/profile.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(profile, clear_profile) {
  static_assert(espalier::detail::reported<Written..., X...>, "clear_profile: include <espalier/report/profile.hpp>");
  return {};
}

namespace data {
/// The samples in the order of the data set, in every epoch.
struct in_order {};
/// A different permutation in every epoch, from a seed; the same on every computer and with every compiler:
///     order = 0, 1, ..., n - 1
///     for i = n - 1, ..., 1:
///       (w0, w1, w2, w3) = Philox4x32-10 of
///           the counter (i, epoch mod 2^32, floor(epoch / 2^32), 0x73687566) and
///           the key (seed mod 2^32, floor(seed / 2^32))
///       j = floor((w0 2^32 + w1) (i + 1) / 2^64)
///       exchange order[i] and order[j]
/// The probabilities of permutations differ by at most n^2 / 2^64.
struct shuffled {
  std::uint64_t seed;
};
/// Order of an image's axes: height, width, channels.
struct hwc {};
/// Order of an image's axes: channels, height, width.
struct chw {};
/// How numbers become samples. A pixel or feature x becomes x * scale + shift. Labels must lie in 0 .. classes-1; real
/// targets have no classes.
struct reading {
  /// 0: the labels are not limited; a trainer compares each label with the classes of its net
  int classes = 0;
  double scale = 1;
  double shift = 0;
  bool non_finite = false;  ///< nan and inf in arrays are accepted
};

struct label;       // include <espalier/data/dataset.hpp>
struct order;       // include <espalier/data/loader.hpp>
class size_error;   // include <espalier/data/dataset.hpp>
class value_error;  // include <espalier/data/dataset.hpp>
template <class T, class Sample, class Target = label>
class dataset : public espalier::detail::without_header {
  static_assert(espalier::detail::reported<T, Sample, Target>, "dataset: include <espalier/data/dataset.hpp>");

 public:
  constexpr dataset(auto const&...) {}
};
template <class T, class Sample, class Target = label>
struct samples;  // include <espalier/data/dataset.hpp>
template <class... Transform>
struct transforms;  // include <espalier/data/loader.hpp>
template <class Layout, int Padding>
struct random_crop;  // include <espalier/data/loader.hpp>
template <class Layout, nn::real P = 0.5>
struct random_flip_horizontal;  // include <espalier/data/loader.hpp>
namespace detail {
struct unspecified_policy;
struct drop_last_policy;
struct padded_policy;
struct short_last_policy;
template <int N>
struct second_batch_policy;
}  // namespace detail
template <class T, class Sample, class Batch, class Policy = detail::unspecified_policy, class Target = label,
          class Transforms = transforms<>>
class loader;  // include <espalier/data/loader.hpp>
ESPALIER_GUIDE_OF_HEADER(loader, loader, , void, void, void, void, void) {
  static_assert(espalier::detail::reported<X...>, "loader: include <espalier/data/loader.hpp>");

 public:
  loader(auto const&...) {}
};
template <class Loader, class Device>
class prefetcher;  // include <espalier/data/prefetcher.hpp>
ESPALIER_GUIDE_OF_HEADER(prefetcher, prefetcher, , void) {
  static_assert(espalier::detail::reported<X...>, "prefetcher: include <espalier/data/prefetcher.hpp>");

 public:
  prefetcher(auto const&...) {}
};
extern detail::drop_last_policy const drop_last;    // include <espalier/data/loader.hpp>
extern detail::padded_policy const padded;          // include <espalier/data/loader.hpp>
extern detail::short_last_policy const short_last;  // include <espalier/data/loader.hpp>
template <int N>
extern detail::second_batch_policy<N> const second_batch;  // include <espalier/data/loader.hpp>
ESPALIER_FUNCTION_OF_HEADER(cifar10, cifar10) {
  static_assert(espalier::detail::reported<Written..., X...>, "cifar10: include <espalier/data/cifar10.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(table, table) {
  static_assert(espalier::detail::reported<Written..., X...>, "table: include <espalier/data/table.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(sharded, sharded) {
  static_assert(espalier::detail::reported<Written..., X...>, "sharded: include <espalier/data/sharded.hpp>");
  return {};
}
}  // namespace data

namespace io {
class error;            // include <espalier/io/error.hpp>
class format_error;     // include <espalier/io/error.hpp>
class mismatch_error;   // include the header of the reader, such as <espalier/io/npz.hpp>
class name_error;       // include the header of the writer, such as <espalier/io/npz.hpp>
class write_error;      // include the header of the writer, such as <espalier/io/npz.hpp>
class load_options;     // include the header of the reader, such as <espalier/io/npz.hpp>
class archive;          // include the header of the reader, such as <espalier/io/npz.hpp>
struct named_array;     // include the header of the writer, such as <espalier/io/npz.hpp>
struct metadata_entry;  // include <espalier/io/safetensors.hpp>
struct npz_options;     // include <espalier/io/npz.hpp>
struct onnx_options;    // include <espalier/io/onnx.hpp>
struct tflite_options;  // include <espalier/io/tflite.hpp>
struct csv_format;      // include <espalier/io/csv.hpp>
struct column;          // include <espalier/io/csv.hpp>
class csv_table;        // include <espalier/io/csv.hpp>
class dlpack_error;     // include <espalier/io/dlpack.hpp>
template <int... Sample>
struct any_batch;  // include <espalier/io/onnx.hpp>
template <class Model, class... TrainedBy>
class snapshot;  // include <espalier/io/checkpoint.hpp>
ESPALIER_GUIDE_OF_HEADER(checkpoint, snapshot, ) {
  static_assert(espalier::detail::reported<X...>, "snapshot: include <espalier/io/checkpoint.hpp>");

 public:
  snapshot(auto const&...) {}
};
ESPALIER_FUNCTION_OF_HEADER(read_cifar10, read_cifar10) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_cifar10: include <espalier/io/cifar10.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(activation_ranges, save_ranges) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "save_ranges: include <espalier/io/activation_ranges.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(activation_ranges, load_ranges) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "load_ranges: include <espalier/io/activation_ranges.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(checkpoint, restore) {
  static_assert(espalier::detail::reported<Written..., X...>, "restore: include <espalier/io/checkpoint.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(csv, read_csv) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_csv: include <espalier/io/csv.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(dlpack, from_dlpack) {
  static_assert(espalier::detail::reported<Written..., X...>, "from_dlpack: include <espalier/io/dlpack.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(dlpack, to_dlpack) {
  static_assert(espalier::detail::reported<Written..., X...>, "to_dlpack: include <espalier/io/dlpack.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(header, write_header) {
  static_assert(espalier::detail::reported<Written..., X...>, "write_header: include <espalier/io/header.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(idx, read_idx) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_idx: include <espalier/io/idx.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(json_state_dict, load_json_state_dict) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "load_json_state_dict: include <espalier/io/json_state_dict.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(json_state_dict, read_json_state_dict) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "read_json_state_dict: include <espalier/io/json_state_dict.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(llama2c, load_llama2c) {
  static_assert(espalier::detail::reported<Written..., X...>, "load_llama2c: include <espalier/io/llama2c.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(llama2c, read_llama2c) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_llama2c: include <espalier/io/llama2c.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(nam, load_nam) {
  static_assert(espalier::detail::reported<Written..., X...>, "load_nam: include <espalier/io/nam.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(nam, read_nam) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_nam: include <espalier/io/nam.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(npy, read_npy) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_npy: include <espalier/io/npy.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(npy, write_npy) {
  static_assert(espalier::detail::reported<Written..., X...>, "write_npy: include <espalier/io/npy.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(npz, load_npz) {
  static_assert(espalier::detail::reported<Written..., X...>, "load_npz: include <espalier/io/npz.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(npz, save_npz) {
  static_assert(espalier::detail::reported<Written..., X...>, "save_npz: include <espalier/io/npz.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(npz, read_npz) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_npz: include <espalier/io/npz.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(npz, write_npz) {
  static_assert(espalier::detail::reported<Written..., X...>, "write_npz: include <espalier/io/npz.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(onnx, write_onnx) {
  static_assert(espalier::detail::reported<Written..., X...>, "write_onnx: include <espalier/io/onnx.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(onnx_quantized, write_quantized_onnx) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "write_quantized_onnx: include <espalier/io/onnx_quantized.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(read_quantized_onnx, read_quantized_onnx) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "read_quantized_onnx: include <espalier/io/read_quantized_onnx.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(read_quantized_tflite, read_quantized_tflite) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "read_quantized_tflite: include <espalier/io/read_quantized_tflite.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(tflite, write_tflite) {
  static_assert(espalier::detail::reported<Written..., X...>, "write_tflite: include <espalier/io/tflite.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(rtneural, load_rtneural) {
  static_assert(espalier::detail::reported<Written..., X...>, "load_rtneural: include <espalier/io/rtneural.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(rtneural, read_rtneural) {
  static_assert(espalier::detail::reported<Written..., X...>, "read_rtneural: include <espalier/io/rtneural.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, load_safetensors) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "load_safetensors: include <espalier/io/safetensors.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, save_safetensors) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "save_safetensors: include <espalier/io/safetensors.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, read_safetensors) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "read_safetensors: include <espalier/io/safetensors.hpp>");
  return {};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, write_safetensors) {
  static_assert(espalier::detail::reported<Written..., X...>,
                "write_safetensors: include <espalier/io/safetensors.hpp>");
  return {};
}
}  // namespace io

namespace nn::nam {
template <class First, class... Stacks>
struct WaveNet;  // include <espalier/nn/nam.hpp>
template <int Hidden, int Layers = 1, int In = 1>
struct LSTM;  // include <espalier/nn/nam.hpp>
}  // namespace nn::nam

}  // namespace espalier
#include "diagnostics_pop.hpp"
