// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../derivative/derivative.hpp"
#include "../device/in_place.hpp"
#include "../trace/interpret.hpp"
#include "compound.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Evaluates formulas over tensors immediately. The type of a formula determines its program, which is planned at
/// compile time.
namespace espalier {

namespace detail {

/// The type of an expression with borrowed tensors instead of owned ones, and without devices. Its values cost nothing,
/// and one program serves all devices.
template <class E>
struct skeleton {
  using type = E;
};
template <class Tensor>
struct skeleton<owned<Tensor>> {
  using type = borrowed<typename Tensor::value_type, typename Tensor::shape_type>;
};
template <class T, class S, class Device>
struct skeleton<borrowed<T, S, Device>> {
  using type = borrowed<T, S>;
};
template <class Op, std::uint64_t Attribute, class S, class... X>
struct skeleton<node<Op, Attribute, S, X...>> {
  using type = node<Op, Attribute, S, typename skeleton<X>::type...>;
};
template <class S, class M, class... X>
struct skeleton<call<S, M, X...>> {
  using type = call<S, M, typename skeleton<X>::type...>;
};
template <class F, int K, class S, class... X>
struct skeleton<derivative::formula<F, K, S, X...>> {
  using type = derivative::formula<F, K, S, typename skeleton<X>::type...>;
};

template <class E>
struct eager_program {
  using subject = E;
  struct traced {
    graph::program program;
    int arguments, numbers;
  };
  static constexpr traced trace() {
    traced r{};
    trace::tracer t{r.program, trace::mode::evaluation, true, 0, 0};
    r.program.add_output(lower(t, E{}), graph::destination::result, 0);
    r.arguments = t.next_argument;
    r.numbers = t.next_hyperparameter;
    return r;
  }
  static constexpr graph::program build() { return trace().program; }
  static constexpr plan::storage_layout layout() { return {nullptr, nullptr}; }
};

inline constexpr int max_numbers = 32;
/// The inputs of an eager program, in the order of tracing.
template <class T>
struct eager_inputs {
  T const* real[plan::base::max_arguments];
  std::int32_t const* labels[plan::base::max_arguments];
  bool const* flags[plan::base::max_arguments];
  T numbers[max_numbers];
  int arguments, number_count;

  constexpr void add(T const* data) { real[arguments++] = data; }
  constexpr void add(std::int32_t const* data) { labels[arguments++] = data; }
  constexpr void add(bool const* data) { flags[arguments++] = data; }
};

template <class T, class E>
constexpr void collect(eager_inputs<T>& in, E const& e) {
  if constexpr (requires { e.operands; })
    boost::hana::unpack(e.operands, [&](auto const&... x) { (collect(in, x), ...); });
  if constexpr (requires { e.a; }) collect(in, e.a);
  if constexpr (requires { e.b; }) collect(in, e.b);
  if constexpr (requires { e.c; }) collect(in, e.c);
}
template <class T, class U, class S, class Device>
constexpr void collect(eager_inputs<T>& in, borrowed<U, S, Device> const& x) {
  assert(
      !ended_since(x.data, x.since) &&
      "a formula refers to a destroyed tensor: a function with tensor parameters by value, or with local tensors, must return evaluate(formula)");
  in.add(x.data);
}
template <class T, class Tensor>
constexpr void collect(eager_inputs<T>& in, owned<Tensor> const& x) {
  in.add(x.value.data());
}
template <class T, class N>
constexpr void collect(eager_inputs<T>& in, number<N> const& x) {
  in.numbers[in.number_count++] = static_cast<T>(x.value);
}

/// Runs a program with the interpreter: the path for constant expressions.
template <class Program, class T>
constexpr void interpret(eager_inputs<T> const& in, T* const* results) {
  constexpr auto const& p = plan::graph_of<Program>;
  int roots[plan::base::max_results]{};
  for (int i = 0; i < p.output_count; ++i) roots[i] = p.outputs[i].id;
  trace::interpreter<T> run{p.nodes, roots, p.output_count};
  run.run(trace::leaf_values<T>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, in.numbers});
  for (int i = 0; i < p.output_count; ++i)
    for (std::int64_t k = 0; k < p.nodes[p.outputs[i].id].shape.size(); ++k)
      results[p.outputs[i].index][k] = run.value(p.outputs[i].id)[k];
}

/// Workspace for a call: up to 16 KiB on the stack, more on the heap.
template <class T, std::size_t Elements, bool Small = Elements * sizeof(T) <= 16384>
struct temporary {
  alignas(tensor_alignment) T at[Elements + 1];
  T* data() { return at; }
};
template <class T, std::size_t Elements>
struct temporary<T, Elements, false> {
  block memory{Elements * sizeof(T)};
  T* data() { return memory.at<T>(0); }
};

/// Writes the addresses of a program's arguments and results into its table of bases.
template <class T>
void fill_bases(void** base, eager_inputs<T> const& in, T* const* results, int result_count) {
  for (int i = 0; i < in.arguments; ++i)
    base[plan::base::arguments + i] = in.real[i] != nullptr ? static_cast<void*>(const_cast<T*>(in.real[i]))
                                      : in.labels[i] != nullptr
                                          ? static_cast<void*>(const_cast<std::int32_t*>(in.labels[i]))
                                          : static_cast<void*>(const_cast<bool*>(in.flags[i]));
  for (int i = 0; i < result_count; ++i) base[plan::base::results + i] = results[i];
}

/// Arch is in the name, as in kernels, because kernels are inlined into it. This function is never inlined, because the
/// names of its callers do not contain Arch.
template <class Program, class T, class Arch = on_cpu::default_arch>
[[gnu::noinline]] void run_eagerly(eager_inputs<T> const& in, T* const* results, int result_count) {
  temporary<T, static_cast<std::size_t>(plan::plan_of<Program>.memory.workspace)> workspace;
  void* base[plan::base::count];
  base[plan::base::workspace] = workspace.data();
  base[plan::base::hyperparameters] = const_cast<T*>(in.numbers);
  fill_bases(base, in, results, result_count);
  on_cpu::run<Program, T, Arch>(base);
}

/// Returns at least `bytes` bytes of device memory. The next call may return the same memory: queued work runs in
/// order. It is not released at exit, so that tensors of static storage may compute after main has returned.
template <class Engine>
void* kept_memory(Engine const& engine, std::size_t bytes) {
  static auto& kept = *new typename Engine::memory;
  if (kept.bytes() < bytes) {
    kept = {};
    kept = engine.allocate(bytes + bytes / 2);
  }
  return kept.template at<unsigned char>(0);
}

/// Runs a program on a device with its own memory. Numbers and workspace are in device memory that is kept for the next
/// expression.
template <class Program, class T, class Device>
void run_on_device(eager_inputs<T> const& in, T* const* results, int result_count) {
  using Engine = typename engine_of<Device>::type;
  constexpr std::size_t numbers = aligned_bytes(max_numbers * sizeof(T)),
                        needed = numbers + Engine::template workspace_bytes<Program, T>;
  Engine const engine;
  void* const room = kept_memory(engine, needed);
  void* base[plan::base::count]{};
  fill_bases(base, in, results, result_count);
  base[plan::base::hyperparameters] = room;
  base[plan::base::workspace] = static_cast<unsigned char*>(room) + numbers;
  engine.to_device(room, in.numbers, static_cast<std::size_t>(in.number_count) * sizeof(T));
  engine.template run<Program, T>(base);
}

/// Whether eager_inputs has room for all inputs of a program.
template <class Program>
constexpr bool inputs_fit() {
  constexpr auto const& p = plan::graph_of<Program>;
  for (int id = 1; id <= p.nodes.size; ++id) {
    graph::node const& n = p.nodes[id];
    if (n.op->family == op_family::argument && position_of(n) >= plan::base::max_arguments) return false;
    if (n.op->family == op_family::label && label_of(n).position >= plan::base::max_arguments) return false;
    if (n.op->family == op_family::hyperparameter && position_of(n) >= max_numbers) return false;
  }
  return true;
}

/// Runs a program of functions of tensors, at compile time or at run time, on the device of the tensors.
template <class Program, class T, class Device = cpu>
constexpr void run_program(eager_inputs<T> const& in, T* const* results, int result_count) {
  static_assert(is_graphics<Device> || !is_narrow<T>,
                ESPALIER_SENTENCE(
                    "this processor computes in float and double; convert half and bfloat16 with tensor<float, S>(x)",
                    ESPALIER_STATED((is_graphics<Device> || !is_narrow<T>), T)));
  static_assert(
      inputs_fit<Program>(),
      "an expression reads at most 24 tensors and 32 numbers (each use counts); store a part of it in a tensor first");
  if constexpr (is_graphics<Device>) {
    run_on_device<Program, T, Device>(in, results, result_count);
  } else if constexpr (!is_narrow<T>) {
    if (std::is_constant_evaluated()) interpret<Program, T>(in, results);
    else run_eagerly<Program, T>(in, results, result_count);
  }
}

/// The number of elements that a program reads of each argument; 0 for none. The program itself is large and is not
/// needed at run time.
struct argument_sizes {
  std::int64_t of[plan::base::max_arguments];
};
template <class Program>
inline constexpr argument_sizes argument_sizes_of = [] {
  constexpr auto const& p = plan::graph_of<Program>;
  argument_sizes sizes{};
  for (int id = 1; id <= p.nodes.size; ++id)
    if (p.nodes[id].op->family == op_family::argument) sizes.of[position_of(p.nodes[id])] = p.nodes[id].shape.size();
  return sizes;
}();

/// Whether the only result shares memory with an argument in a way that the plan does not allow.
template <class Program, class T>
// Not T const*: g++ 12 would warn that the new tensor is uninitialized
bool overlaps(eager_inputs<T> const& in, T* result, std::int64_t size) {
  constexpr plan::sharing_table may = plan::sharing_of<Program>;
  for (int i = 0; i < plan::base::max_arguments; ++i) {
    std::int64_t const read = argument_sizes_of<Program>.of[i];
    if (read == 0 || may.of[i][0] == plan::sharing::any) continue;
    T const* const from = in.real[i];
    if (from == result && read == size && may.of[i][0] == plan::sharing::same) continue;
    if (overlap(from, static_cast<std::size_t>(read) * sizeof(T), result, static_cast<std::size_t>(size) * sizeof(T)))
      return true;
  }
  return false;
}

/// The type in which an expression is computed: its own real type, else that of the target tensor, else float.
template <class E, class T = float>
using computed_element =
    std::conditional_t<real_element<element_of<E>>, element_of<E>, std::conditional_t<real_element<T>, T, float>>;

}  // namespace detail

namespace detail {
/// Writes the value of an expression to the elements of a tensor or view of T; operands may overlap them. Arch is in
/// the name so that translation units for different instruction sets do not share the function.
template <class T, class S, class Device, class E, class Arch = on_cpu::default_arch>
constexpr void evaluate_at(E const& e, T* y) {
  using Element = computed_element<E, T>;
  using Program = eager_program<typename skeleton<E>::type>;
  using Separate = tensor<Element, S, Device>;
  eager_inputs<Element> in{};
  collect(in, e);
  auto const copied = [y](auto const& x) {
    if constexpr (is_graphics<Device>)
      typename engine_of<Device>::type{}.copy(y, x.data(), static_cast<std::size_t>(S::size) * sizeof(T));
    else
      for (std::int64_t i = 0; i < S::size; ++i) y[i] = x.data()[i];
  };
  if constexpr (std::is_same_v<T, bool>) {
    Separate truth;
    Element* const result = truth.data();
    run_program<Program, Element, Device>(in, &result, 1);
    if constexpr (is_graphics<Device>) copied(tensor<bool, S, Device>(truth));
    else
      for (std::int64_t i = 0; i < S::size; ++i) y[i] = result[i] != Element(0);
  } else {
    if (!std::is_constant_evaluated() && overlaps<Program, T>(in, y, S::size)) {
      Separate separate;
      T* const result = separate.data();
      run_program<Program, T, Device>(in, &result, 1);
      copied(separate);
    } else {
      run_program<Program, T, Device>(in, &y, 1);
    }
  }
}

/// Copies the elements of a tensor or view to y, which may overlap them.
template <class T, class Device, class X>
constexpr void copy_at(X const& x, T* y) {
  T const* const from = x.data();
  if constexpr (is_graphics<Device>) {
    typename engine_of<Device>::type{}.copy(y, tensor<T, typename X::shape_type, Device>(x).data(),
                                            static_cast<std::size_t>(X::size()) * sizeof(T));
  } else if (std::is_constant_evaluated()) {
    T* const kept = new T[static_cast<std::size_t>(X::size())]{};
    for (std::int64_t i = 0; i < X::size(); ++i) kept[i] = from[i];
    for (std::int64_t i = 0; i < X::size(); ++i) y[i] = kept[i];
    delete[] kept;
  } else {
    __builtin_memmove(y, from, static_cast<std::size_t>(X::size()) * sizeof(T));
  }
}
}  // namespace detail

/// y = the value of the expression: one program, whose elementwise parts are one fused loop. An operand may be y
/// itself, or overlap it in any way.
/// shape   S -> S
/// errors  another shape or element type does not compile
/// memory  workspace beyond 16 KiB comes from the heap for the duration of the call; a device keeps it for the next
///         call. If an operand overlaps y other than element by element, the value is computed separately and copied
template <class E, class T, class S, class Device>
  requires(detail::marked_expression<E> && !is_invalid<E>)
constexpr void evaluate_into(E const& e, tensor<T, S, Device>& y) {
  using Y = tensor<T, S, Device>;
  static_assert(
      detail::shape_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, Y>));
  static_assert(detail::integers_fit<E, Y>::agree,
                ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_INTEGERS,
                                  detail::integers_fit<E, Y>));
  static_assert(
      detail::element_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, Y>));
  static_assert(
      detail::device_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, Y>));
  if constexpr (detail::Fitting<E, Y>) detail::evaluate_at<T, S, Device>(e, y.data());
}
/// The same for a view. Only the view's elements are written.
template <class E, class T, class S, class Device>
  requires(detail::marked_expression<E> && !is_invalid<E>)
constexpr void evaluate_into(E const& e, view<T, S, Device> y) {
  using Y = view<T, S, Device>;
  static_assert(!std::is_const_v<T>,
                ESPALIER_SENTENCE("evaluate_into(expression, view): the view is of const elements; write view<T, S>",
                                  ESPALIER_STATED(!std::is_const_v<T>, T)));
  static_assert(
      detail::shape_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, Y>));
  static_assert(
      detail::integers_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, Y>));
  static_assert(
      detail::element_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, Y>));
  static_assert(
      detail::device_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, Y>));
  if constexpr (!std::is_const_v<T> && detail::Fitting<E, Y>) detail::evaluate_at<T, S, Device>(e, y.data());
}
/// Copies the elements of a tensor or view to another one, which may overlap it.
/// shape   S -> S
/// errors  another shape, element type or device does not compile
template <TensorOrView X, TensorOrView Y>
constexpr void evaluate_into(X const& x, Y&& y) {
  using To = std::remove_cvref_t<Y>;
  using T = std::remove_pointer_t<decltype(y.data())>;
  using Shapes = detail::shape_is<shape_of<X>, shape_of<To>>;
  using Elements = detail::element_is<element_of<X>, element_of<To>>;
  using Devices = same_device<device_of<X>, device_of<To>>;
  static_assert(!std::is_const_v<T>, ESPALIER_SENTENCE("evaluate_into(x, y): the elements of y are const",
                                                       ESPALIER_STATED(!std::is_const_v<T>, T)));
  static_assert(Shapes::agree, ESPALIER_SENTENCE("evaluate_into(x, y): x has another shape than y", Shapes));
  static_assert(Elements::agree,
                ESPALIER_SENTENCE(
                    "evaluate_into(x, y): x has another element type than y; convert with tensor<T, S>(x)", Elements));
  static_assert(Devices::agree, ESPALIER_SENTENCE("evaluate_into(x, y): " ESPALIER_EXPRESSION_DEVICE, Devices));
  if constexpr (!std::is_const_v<T> && Shapes::agree && Elements::agree && Devices::agree)
    detail::copy_at<T, device_of<To>>(x, y.data());
}

/// Writes the value of an expression to a range of as many numbers: std::vector, std::array, std::span, an array.
/// errors  as for a view of the range
template <class E, class R>
  requires(detail::marked_expression<E> && !is_invalid<E> && detail::Range<std::remove_cvref_t<R>>)
constexpr void evaluate_into(E const& e, R&& y) {
  using Numbers = detail::numbers_in_a_row<std::remove_reference_t<R>>;
  static_assert(Numbers::agree,
                ESPALIER_SENTENCE("evaluate_into(expression, range): " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
  if constexpr (Numbers::agree)
    evaluate_into(e, view<detail::number_of<std::remove_reference_t<R>>, shape_of<E>>(static_cast<R&&>(y)));
}

/// Does nothing for an `invalid` expression, whose error is already reported.
template <class... Facts, class T, class S, class Device>
constexpr void evaluate_into(invalid<Facts...> const&, tensor<T, S, Device>&) {}
template <class... Facts, class T, class S, class Device>
constexpr void evaluate_into(invalid<Facts...> const&, view<T, S, Device>) {}

/// Returns the value of an expression as a tensor: auto c = evaluate(a * b);
/// shape   S -> S
/// device  that of the tensors in the expression
/// errors  tensors of two devices do not compile
template <class E>
  requires detail::marked_expression<E>
constexpr auto evaluate(E const& e) {
  using Devices = typename detail::one_device<device_of<E>>::relation;
  static_assert(Devices::agree, ESPALIER_SENTENCE("evaluate(expression): " ESPALIER_DEVICES_FIT, Devices));
  static_assert(!detail::of_a_body<E>, ESPALIER_SENTENCE("evaluate(formula): " ESPALIER_NO_NUMBERS,
                                                         ESPALIER_STATED(!detail::of_a_body<E>, shape_of<E>)));
  if constexpr (is_invalid<E>) return e;
  else if constexpr (detail::of_a_body<E>) return invalid<already_reported>{};
  else if constexpr (!Devices::agree) return invalid<Devices>{};
  else return tensor<detail::computed_element<E>, shape_of<E>, detail::device_or_cpu<device_of<E>>>(e);
}

}  // namespace espalier
#pragma GCC diagnostic pop
