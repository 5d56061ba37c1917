// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Families of kernels on a graphics processor: what each moves and launches, counted without a device, and how it is
/// run on one.
#include <espalier/cuda.hpp>
#include <espalier/eager/compiled.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

namespace esp = espalier;

/// What a program is in numbers. Bytes of kernels: each sweep over an operand anew, and what blocks leave for each
/// other, written and read.
struct amounts {
  std::int64_t minimal = 0;  ///< each operand read once, each result written once
  std::int64_t planned = 0;  ///< what the plan's kernels move, each operand and result of each kernel once
  std::int64_t moved = 0;    ///< what the launches move
  int products = 0, copies = 0, uncounted = 0;  ///< uncounted: launches whose bytes are not in `moved`
  std::vector<std::string> kernels{};

  amounts& operator+=(amounts const& other) {
    minimal += other.minimal, planned += other.planned, moved += other.moved;
    products += other.products, copies += other.copies, uncounted += other.uncounted;
    kernels.insert(kernels.end(), other.kernels.begin(), other.kernels.end());
    return *this;
  }
};

/// A row of the table. prepare takes memory of the machine and returns what queues one run on it. A step waits for its
/// own end: it is timed by the clock of the host, the others by events around replays of a graph.
struct measurement {
  std::string name, shape;
  amounts counted;
  std::function<std::function<void()>(esp::on_cuda::cuda_backend&)> prepare;
  bool step = false;
};

using measurements = std::vector<measurement>;
void add_forward_norms(measurements&);
void add_backward_norms(measurements&);
void add_losses_and_updates(measurements&);
void add_small_step(measurements&);
void add_large_step(measurements&);

namespace detail {

using namespace esp::on_cuda;
using esp::plan::operand_kind;
using esp::plan::extent_class;

constexpr std::int64_t elements_at(extent_class extent, std::int64_t rows, std::int64_t columns) {
  return extent == extent_class::full     ? rows * columns
         : extent == extent_class::row    ? rows
         : extent == extent_class::column ? columns
                                          : 1;
}
template <class T>
constexpr std::int64_t bytes_of(operand_kind kind) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  return kind == operand_kind::memory ? size : kind == operand_kind::integer ? 4 : kind == operand_kind::flag ? 1 : 0;
}
template <class Kernel, class T>
constexpr std::int64_t operand_bytes(int k, std::int64_t rows, std::int64_t columns) {
  return bytes_of<T>(Kernel::facts::operand_at[k].kind) *
         elements_at(Kernel::facts::operand_at[k].extent, rows, columns);
}
/// Outputs at a place, all of them or those of one sweep.
template <class Kernel, class T>
constexpr std::int64_t stored_bytes(extent_class extent, std::int64_t rows, std::int64_t columns) {
  std::int64_t n = 0;
  for (int k = 0; k < Kernel::outputs; ++k)
    if (Kernel::facts::instruction_at[Kernel::facts::output_at[k].instruction].extent == extent)
      n += elements_at(extent, rows, columns) * static_cast<std::int64_t>(sizeof(T));
  return n;
}
template <class Kernel, class T>
constexpr std::int64_t lines_read(extent_class line, std::int64_t rows, std::int64_t columns) {
  std::int64_t n = 0;
  for (int k = 0; k < Kernel::operands; ++k)
    if (Kernel::facts::operand_at[k].extent == line || Kernel::facts::operand_at[k].extent == extent_class::single)
      n += operand_bytes<Kernel, T>(k, rows, columns);
  return n;
}
template <class Kernel, class T>
constexpr std::int64_t sweep_bytes(int sweep, extent_class line, std::int64_t rows, std::int64_t columns) {
  std::int64_t n = 0;
  for (int k = 0; k < Kernel::operands; ++k) {
    extent_class const extent = Kernel::facts::operand_at[k].extent;
    if (extent != line && extent != extent_class::single && Kernel::reads(sweep, k))
      n += operand_bytes<Kernel, T>(k, rows, columns);
  }
  return n;
}

/// What a launch moves; -1: not known here.
template <class Kernel>
struct traffic_of {
  static constexpr std::int64_t bytes = -1;
};
template <class T, int R, int C, int Segments, class... Group>
struct traffic_of<elementwise_kernel<T, R, C, Segments, Group...>> {
  using kernel = elementwise_kernel<T, R, C, Segments, Group...>;
  static constexpr std::int64_t bytes = [] {
    std::int64_t n = stored_bytes<kernel, T>(extent_class::full, R, C);
    for (int k = 0; k < kernel::operands; ++k)
      if (kernel::is_read(k)) n += operand_bytes<kernel, T>(k, R, C);
    return n;
  }();
};
template <class T, int R, int C, int Segments, int Cluster, bool Keeps, class... Group>
struct traffic_of<row_kernel<T, R, C, Segments, Cluster, Keeps, Group...>> {
  using kernel = row_kernel<T, R, C, Segments, Cluster, Keeps, Group...>;
  static constexpr std::int64_t bytes = [] {
    std::int64_t n =
        stored_bytes<kernel, T>(extent_class::full, R, C) + stored_bytes<kernel, T>(extent_class::row, R, C);
    for (int k = 0; k < kernel::operands; ++k) n += operand_bytes<kernel, T>(k, R, C);
    return n + kernel::partial_rows * (std::int64_t{C} * kernel::column_sums + kernel::single_sums) *
                   static_cast<std::int64_t>(sizeof(typename kernel::number));
  }();
};
template <class T, int R, int C, class... Group>
struct traffic_of<column_kernel<T, R, C, Group...>> {
  using kernel = column_kernel<T, R, C, Group...>;
  static constexpr std::int64_t bytes = [] {
    std::int64_t n = lines_read<kernel, T>(extent_class::column, R, C) +
                     stored_bytes<kernel, T>(extent_class::full, R, C) +
                     stored_bytes<kernel, T>(extent_class::column, R, C);
    for (int s = 0; s < kernel::facts::schedule.sweeps; ++s) n += sweep_bytes<kernel, T>(s, extent_class::column, R, C);
    return n + kernel::blocks * kernel::single_sums * static_cast<std::int64_t>(sizeof(typename kernel::number));
  }();
};
template <extent_class Line, int Sweep, class T, int R, int C, int Segments, class... Group>
struct traffic_of<split_sweep_kernel<Line, Sweep, T, R, C, Segments, Group...>> {
  using kernel = split_sweep_kernel<Line, Sweep, T, R, C, Segments, Group...>;
  using layout = typename kernel::layout;
  static constexpr std::int64_t bytes = [] {
    auto const stores = static_cast<std::int64_t>(kernel::template stored_in<Sweep>::size()) * R * C *
                        static_cast<std::int64_t>(sizeof(T));
    auto const sums = static_cast<std::int64_t>(kernel::line_sums::size()),
               down = static_cast<std::int64_t>(kernel::over_rows::size());
    std::int64_t const lines =
                           (sums * layout::parts + std::int64_t{esp::on_device::detail::count(kernel::lines_read)}) *
                           layout::lines,
                       columns = down * layout::ranges * C;
    std::int64_t const single = static_cast<std::int64_t>(kernel::over_all::size()) * layout::blocks;
    return bench::detail::lines_read<kernel, T>(Line, R, C) + sweep_bytes<kernel, T>(Sweep, Line, R, C) + stores +
           (lines + columns + single) * static_cast<std::int64_t>(sizeof(typename kernel::number));
  }();
};
/// Partial sums of lines are read again; what is known of lines is written.
template <extent_class Line, int Sweep, class T, int R, int C, int Segments, class... Group>
struct traffic_of<statistics_kernel<Line, Sweep, T, R, C, Segments, Group...>> {
  using kernel = statistics_kernel<Line, Sweep, T, R, C, Segments, Group...>;
  using base_kernel = line_sweeps<Line, T, R, C, Segments, Group...>;
  static constexpr std::int64_t sums = [] {
    if constexpr (Sweep < 0) return std::int64_t{0};
    else return static_cast<std::int64_t>(base_kernel::template line_sums<Sweep>::size());
  }();
  static constexpr std::int64_t bytes =
      (sums * base_kernel::layout::parts + std::int64_t{esp::on_device::detail::count(kernel::new_statistics)}) *
      base_kernel::layout::lines * static_cast<std::int64_t>(sizeof(typename base_kernel::number));
};
template <extent_class Line, class T, int PartialRows, int SingleRows, int C, int Lines, class... Group>
struct traffic_of<finish_kernel<Line, T, PartialRows, SingleRows, C, Lines, Group...>> {
  using kernel = finish_kernel<Line, T, PartialRows, SingleRows, C, Lines, Group...>;
  static constexpr std::int64_t partial =
      std::int64_t{esp::on_device::detail::count(kernel::column_sum_instructions)} * PartialRows * C +
      std::int64_t{esp::on_device::detail::count(kernel::single_sum_instructions)} * SingleRows;
  static constexpr std::int64_t results =
      stored_bytes<kernel, T>(extent_class::single, 1, C) +
      (Line == extent_class::row ? stored_bytes<kernel, T>(extent_class::column, 1, C) : 0);
  static constexpr std::int64_t bytes = partial * static_cast<std::int64_t>(sizeof(typename kernel::number)) + results;
};

/// A machine that only counts.
class counting_backend {
 public:
  explicit counting_backend(amounts& to) : to_{&to} {}
  template <class T>
  static constexpr bool can_bias_relu = cuda_backend::can_bias_relu<T>;

  template <class Kernel>
  bool runs_clusters() const {
    return true;
  }
  template <class Kernel>
  void launch(typename Kernel::table const&) {
    static_assert(launchable<Kernel>);
    std::string grid = std::to_string(Kernel::blocks) + " x " + std::to_string(Kernel::threads);
    if (Kernel::cluster > 1) grid += " in clusters of " + std::to_string(Kernel::cluster);
    to_->kernels.push_back(grid + ": " + name_of<Kernel>().text);
    if constexpr (traffic_of<Kernel>::bytes < 0) ++to_->uncounted;
    else to_->moved += traffic_of<Kernel>::bytes;
  }
  void copy(void*, void const*, std::size_t bytes) {
    ++to_->copies;
    to_->moved += 2 * static_cast<std::int64_t>(bytes);
  }
  template <class T, class Product>
  void product(T const*, T const*, T*, T const* = nullptr, bool = false) {
    constexpr std::int64_t rows = Product::rows, columns = Product::columns, inner = Product::inner;
    ++to_->products;
    to_->moved +=
        (rows * inner + inner * columns + rows * columns) * Product::count * static_cast<std::int64_t>(sizeof(T));
  }

 private:
  amounts* to_;
};

/// The bytes behind each pointer of a program, and the least that it can move.
struct needs {
  std::int64_t bytes[static_cast<std::size_t>(esp::plan::base::count)];
  std::uint64_t labels;  ///< bit k: argument k holds labels
  std::int64_t minimal;
};
template <class Program>
constexpr needs find_needs() {
  namespace base = esp::plan::base;
  using esp::graph::destination;
  using esp::graph::op_family;
  auto const& p = esp::plan::graph_of<Program>;
  auto const layout = Program::layout();
  needs r{};
  auto const reserve = [&](int slot, std::int64_t end) {
    r.bytes[slot] = r.bytes[slot] > 4 * end ? r.bytes[slot] : 4 * end;
  };
  bool reached[esp::graph::capacity]{};
  for (int i = 0; i < p.output_count; ++i) {
    esp::graph::output const& o = p.outputs[i];
    std::int64_t const size = p.nodes[o.id].shape.size();
    reached[o.id] = true;
    r.minimal += 4 * size;
    if (o.where == destination::result) reserve(base::results + o.index, size);
    else if (o.where == destination::buffer) reserve(base::buffers, layout.buffers[o.index] + size);
    else
      reserve(o.where == destination::gradient ? base::gradients : base::parameters, layout.parameters[o.index] + size);
  }
  for (int id = p.nodes.size; id > 0; --id) {
    esp::graph::node const& n = p.nodes[id];
    std::int64_t const size = n.shape.size();
    bool const is_label = n.op->family == op_family::label;
    if (n.op->family == op_family::argument) reserve(base::arguments + position_of(n), size);
    else if (is_label)
      reserve(base::arguments + label_of(n).position, size), r.labels |= std::uint64_t{1} << label_of(n).position;
    else if (n.op->family == op_family::parameter) reserve(base::parameters, layout.parameters[slot_of(n)] + size);
    else if (n.op->family == op_family::buffer) reserve(base::buffers, layout.buffers[slot_of(n)] + size);
    else if (n.op->family == op_family::hyperparameter) reserve(base::hyperparameters, 64);
    if (!reached[id]) continue;
    for (int o : n.operand) reached[o] = true;
    if (n.op->family == op_family::argument || is_label || n.op->family == op_family::parameter ||
        n.op->family == op_family::buffer)
      r.minimal += 4 * size;
  }
  return r;
}
template <class Program>
inline constexpr needs needs_of = find_needs<Program>();

template <class Program>
amounts count() {
  constexpr auto traffic = esp::plan::traffic_of_program<Program>;
  amounts r;
  r.minimal = needs_of<Program>.minimal;
  r.planned = 4 * (traffic.read + traffic.written);
  counting_backend m{r};
  alignas(256) static unsigned char somewhere[1];
  void* base[esp::plan::base::count];
  for (void*& at : base) at = somewhere;  // addresses are computed, nothing is read
  esp::on_cuda::run<Program, float>(m, base);
  return r;
}

/// Device memory that a program runs in. Numbers lie between -1 and 1, labels below `classes`; the vectors of an
/// optimizer are positive.
template <class Program, class Backend = cuda_backend>
class arena {
 public:
  arena(Backend& m, int classes) : backend_{&m} {
    namespace base = esp::plan::base;
    constexpr needs n = needs_of<Program>;
    std::vector<float> const pattern = numbers();
    std::vector<std::int32_t> const labels = some_labels(classes);
    for (int i = 0; i < base::count; ++i) {
      if (n.bytes[i] == 0) continue;
      auto const size = static_cast<std::size_t>(n.bytes[i]);
      blocks_.emplace_back(m, size);
      at_[i] = blocks_.back().template at<void>(0);
      bool const is_label = i >= base::arguments && i < base::results && (n.labels >> (i - base::arguments) & 1u);
      if (is_label) fill(i, size, labels.data(), labels.size() * sizeof(std::int32_t));
      else if (i == base::hyperparameters) m.to_device(at_[i], adam_numbers, sizeof adam_numbers);
      else if (i < base::results && i != base::gradients && i != base::buffers)
        fill(i, size, pattern.data(), pattern.size() * sizeof(float));
    }
    esp::on_device::random_state const random{42, 7};
    blocks_.emplace_back(m, sizeof random);
    at_[base::random] = blocks_.back().template at<void>(0);
    m.to_device(at_[base::random], &random, sizeof random);
    blocks_.emplace_back(m, esp::on_cuda::workspace_bytes<Program, float, Backend> + 256);
    at_[base::workspace] = blocks_.back().template at<void>(0);
  }
  void run() const { esp::on_cuda::run<Program, float>(*backend_, at_); }

 private:
  static constexpr float adam_numbers[8] = {1e-3f, 0.9f, 0.1f, 0.999f, 1e-3f, 1.f, 1e-8f, 0.f};
  static constexpr std::size_t period = 1u << 20;  ///< numbers that are made on the host; the rest repeats them
  static std::vector<float> numbers() {
    std::vector<float> r(period);
    std::uint32_t bits = 1;
    for (float& x : r) x = static_cast<float>((bits = bits * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.f;
    return r;
  }
  static std::vector<std::int32_t> some_labels(int classes) {
    std::vector<std::int32_t> r(period);
    std::uint32_t bits = 2;
    for (std::int32_t& x : r)
      x = static_cast<std::int32_t>(((bits = bits * 1664525u + 1013904223u) >> 8) %
                                    static_cast<std::uint32_t>(classes));
    return r;
  }
  void fill(int which, std::size_t size, void const* from, std::size_t some) {
    backend_->to_device(at_[which], from, size < some ? size : some);
    for (std::size_t done = some; done < size; done *= 2)
      backend_->copy(static_cast<char*>(at_[which]) + done, at_[which], size - done < done ? size - done : done);
  }

  Backend* backend_;
  std::vector<esp::on_cuda::device_block<Backend>> blocks_;
  void* at_[esp::plan::base::count]{};
};

}  // namespace detail

/// A program as a row. classes: of its labels, where it has any.
template <class Program>
void add(measurements& to, std::string name, std::string shape, int classes = 1) {
  to.push_back({std::move(name), std::move(shape), detail::count<Program>(),
                [classes](esp::on_cuda::cuda_backend& m) -> std::function<void()> {
                  auto const memory = std::make_shared<detail::arena<Program>>(m, classes);
                  return [memory] { memory->run(); };
                }});
}
/// A function of tensors of these shapes, all its results in one program.
template <class F, class... Leaf>
using program_of_function = esp::detail::compiled_program<F, Leaf...>;
template <class S>
using number_leaf = esp::borrowed<float, S>;
template <class S>
using label_leaf = esp::borrowed<std::int32_t, S>;

inline std::string extents(int a, int b) { return std::to_string(a) + "x" + std::to_string(b); }

}  // namespace bench
