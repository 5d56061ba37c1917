// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <cstdint>
#include <type_traits>

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
/// True for what a missing header left behind: its error was reported.
template <class X>
concept stands_for_header = requires {
  typename X::stands_for_header;
};
/// A constraint that errors name: the program includes a header.
template <class Header, class... X>
struct needs_header {
  static constexpr bool agree = is_included<Header, X...> || (stands_for_header<X> || ...);
};

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
  constexpr auto name(X const&...)
/// The same for a function whose template arguments are always written. Argument-dependent lookup then finds no such
/// function for a call of one of the program's own.
#define ESPALIER_REPORT_OF_HEADER(header, name)                                                              \
  template <class First, class... Written, class... X>                                                       \
    requires(!::espalier::detail::is_included<::espalier::detail::headers::header, First, Written..., X...>) \
  constexpr auto name(X const&...)

template <class Model, class Block, int Axis, int Context, class Found>
class stream;  // include <espalier/stream.hpp>
ESPALIER_GUIDE_OF_HEADER(stream, stream, , void, 0, 0, void) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::stream, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("stream: include <espalier/stream.hpp>", Header));

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
  using Header = espalier::detail::needs_header<espalier::detail::headers::calibration, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("calibration: include <espalier/model/calibration.hpp>", Header));

 public:
  calibration(auto const&...) {}
};
template <class Model, class Batch>
class result_calibration;  // include <espalier/model/result_calibration.hpp>
ESPALIER_GUIDE_OF_HEADER(result_calibration, result_calibration, , void) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::result_calibration, X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("result_calibration: include <espalier/model/result_calibration.hpp>", Header));

 public:
  result_calibration(auto const&...) {}
};
template <class Model, class Batch, class Found>
class quantized;  // include <espalier/model/quantized.hpp>
ESPALIER_GUIDE_OF_HEADER(quantized, quantized, , void, void) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::quantized, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("quantized: include <espalier/model/quantized.hpp>", Header));

 public:
  quantized(auto const&...) {}
};
template <class Model>
class gradient_average;  // include <espalier/distributed.hpp>
ESPALIER_GUIDE_OF_HEADER(gradient_average, gradient_average, ) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::gradient_average, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("gradient_average: include <espalier/distributed.hpp>", Header));

 public:
  gradient_average(auto const&...) {}
};
template <class Net, class T = float>
class constant_model : public espalier::detail::without_header {
  using Header = espalier::detail::needs_header<espalier::detail::headers::constant_model, Net, T>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("constant_model: include <espalier/model/constant_model.hpp>", Header));

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
  using Header = detail::needs_header<detail::headers::up_to, std::integral_constant<int, N>>;
  static_assert(Header::agree, ESPALIER_SENTENCE("up_to<N>: include <espalier/up_to.hpp>", Header));
  return Header::agree ? detail::up_to_mark - (fits ? N : 2) : N;
}();

class sample_count_error;  // include <espalier/up_to.hpp>
class quantization_error;  // include <espalier/model/quantized.hpp>
class samples_error;       // include <espalier/distributed.hpp>
class mpi;                 // include <espalier/mpi.hpp>

ESPALIER_FUNCTION_OF_HEADER(gradient_agrees, gradient_agrees) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::gradient_agrees, Written..., X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("gradient_agrees: include <espalier/eager/gradient_agrees.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(summary, summary) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::summary, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("summary: include <espalier/report/summary.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(explain, explain) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::explain, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("explain: include <espalier/report/explain.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(memory_report, memory_report) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::memory_report, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("memory_report: include <espalier/report/memory_report.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(draw_architecture, draw_architecture) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::draw_architecture, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("draw_architecture: include <espalier/report/draw.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(draw_kernels, draw_kernels) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::draw_kernels, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("draw_kernels: include <espalier/report/draw.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(draw_memory, draw_memory) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::draw_memory, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("draw_memory: include <espalier/report/draw.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_REPORT_OF_HEADER(draw_program, draw_program) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::draw_program, First, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("draw_program: include <espalier/report/draw.hpp>", Header));
  return espalier::detail::without_header{};
}
struct cpu;
template <class Device = cpu>
struct profiled;  // include <espalier/report/profile.hpp>
ESPALIER_FUNCTION_OF_HEADER(profile, profile_of) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::profile, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("profile_of: include <espalier/report/profile.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(profile, clear_profile) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::profile, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("clear_profile: include <espalier/report/profile.hpp>", Header));
  return espalier::detail::without_header{};
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
  using Header = espalier::detail::needs_header<espalier::detail::headers::dataset, T, Sample, Target>;
  static_assert(Header::agree, ESPALIER_SENTENCE("dataset: include <espalier/data/dataset.hpp>", Header));

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
  using Header = espalier::detail::needs_header<espalier::detail::headers::loader, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("loader: include <espalier/data/loader.hpp>", Header));

 public:
  loader(auto const&...) {}
};
template <class Loader, class Device>
class prefetcher;  // include <espalier/data/prefetcher.hpp>
ESPALIER_GUIDE_OF_HEADER(prefetcher, prefetcher, , void) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::prefetcher, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("prefetcher: include <espalier/data/prefetcher.hpp>", Header));

 public:
  prefetcher(auto const&...) {}
};
extern detail::drop_last_policy const drop_last;    // include <espalier/data/loader.hpp>
extern detail::padded_policy const padded;          // include <espalier/data/loader.hpp>
extern detail::short_last_policy const short_last;  // include <espalier/data/loader.hpp>
template <int N>
extern detail::second_batch_policy<N> const second_batch;  // include <espalier/data/loader.hpp>
ESPALIER_FUNCTION_OF_HEADER(cifar10, cifar10) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::cifar10, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("cifar10: include <espalier/data/cifar10.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(table, table) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::table, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("table: include <espalier/data/table.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(sharded, sharded) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::sharded, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("sharded: include <espalier/data/sharded.hpp>", Header));
  return espalier::detail::without_header{};
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
  using Header = espalier::detail::needs_header<espalier::detail::headers::checkpoint, X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("snapshot: include <espalier/io/checkpoint.hpp>", Header));

 public:
  snapshot(auto const&...) {}
};
ESPALIER_FUNCTION_OF_HEADER(read_cifar10, read_cifar10) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::read_cifar10, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_cifar10: include <espalier/io/cifar10.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(activation_ranges, save_ranges) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::activation_ranges, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("save_ranges: include <espalier/io/activation_ranges.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(activation_ranges, load_ranges) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::activation_ranges, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("load_ranges: include <espalier/io/activation_ranges.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(checkpoint, restore) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::checkpoint, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("restore: include <espalier/io/checkpoint.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(csv, read_csv) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::csv, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_csv: include <espalier/io/csv.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(dlpack, from_dlpack) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::dlpack, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("from_dlpack: include <espalier/io/dlpack.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(dlpack, to_dlpack) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::dlpack, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("to_dlpack: include <espalier/io/dlpack.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(header, write_header) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::header, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("write_header: include <espalier/io/header.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(idx, read_idx) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::idx, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_idx: include <espalier/io/idx.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(json_state_dict, load_json_state_dict) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::json_state_dict, Written..., X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("load_json_state_dict: include <espalier/io/json_state_dict.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(json_state_dict, read_json_state_dict) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::json_state_dict, Written..., X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("read_json_state_dict: include <espalier/io/json_state_dict.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(llama2c, load_llama2c) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::llama2c, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("load_llama2c: include <espalier/io/llama2c.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(llama2c, read_llama2c) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::llama2c, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_llama2c: include <espalier/io/llama2c.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(nam, load_nam) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::nam, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("load_nam: include <espalier/io/nam.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(nam, read_nam) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::nam, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_nam: include <espalier/io/nam.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(npy, read_npy) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::npy, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_npy: include <espalier/io/npy.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(npy, write_npy) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::npy, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("write_npy: include <espalier/io/npy.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(npz, load_npz) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::npz, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("load_npz: include <espalier/io/npz.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(npz, save_npz) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::npz, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("save_npz: include <espalier/io/npz.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(npz, read_npz) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::npz, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_npz: include <espalier/io/npz.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(npz, write_npz) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::npz, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("write_npz: include <espalier/io/npz.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(onnx, write_onnx) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::onnx, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("write_onnx: include <espalier/io/onnx.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(onnx_quantized, write_quantized_onnx) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::onnx_quantized, Written..., X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("write_quantized_onnx: include <espalier/io/onnx_quantized.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(read_quantized_onnx, read_quantized_onnx) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::read_quantized_onnx, Written..., X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("read_quantized_onnx: include <espalier/io/read_quantized_onnx.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(read_quantized_tflite, read_quantized_tflite) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::read_quantized_tflite, Written..., X...>;
  static_assert(Header::agree,
                ESPALIER_SENTENCE("read_quantized_tflite: include <espalier/io/read_quantized_tflite.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(tflite, write_tflite) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::tflite, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("write_tflite: include <espalier/io/tflite.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(rtneural, load_rtneural) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::rtneural, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("load_rtneural: include <espalier/io/rtneural.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(rtneural, read_rtneural) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::rtneural, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_rtneural: include <espalier/io/rtneural.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, load_safetensors) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::safetensors, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("load_safetensors: include <espalier/io/safetensors.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, save_safetensors) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::safetensors, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("save_safetensors: include <espalier/io/safetensors.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, read_safetensors) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::safetensors, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("read_safetensors: include <espalier/io/safetensors.hpp>", Header));
  return espalier::detail::without_header{};
}
ESPALIER_FUNCTION_OF_HEADER(safetensors, write_safetensors) {
  using Header = espalier::detail::needs_header<espalier::detail::headers::safetensors, Written..., X...>;
  static_assert(Header::agree, ESPALIER_SENTENCE("write_safetensors: include <espalier/io/safetensors.hpp>", Header));
  return espalier::detail::without_header{};
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
