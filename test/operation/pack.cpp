// SPDX-License-Identifier: BSL-1.0
// Tensors as one vector, and parts of a vector: values of the interpreter, addresses of the plan.
#define BOOST_TEST_MODULE operation_pack
#include <boost/test/unit_test.hpp>
#include <espalier.hpp>
#include <memory>

namespace esp = espalier;
namespace graph = esp::graph;

namespace {
/// Gradients (3 and 5 elements) in a vector of 32; twice the vector is the next vector of parameters, and a result
/// reads a part of it.
struct definition {
  static constexpr esp::plan::address parameters[] = {{esp::plan::base::states, 0}};
  static constexpr graph::program build() {
    graph::program p{};
    esp::tracing::tracer t{p, esp::tracing::mode::training, false, 0, 0};
    auto const a = esp::tracing::argument_of<esp::shape<3>>(t, 0), b = esp::tracing::argument_of<esp::shape<3>>(t, 1);
    auto const c = esp::tracing::argument_of<esp::shape<5>>(t, 2);
    int const first = esp::tracing::trace_operand(t, a * b), second = esp::tracing::trace_operand(t, c);
    int vector = esp::operation::emit_pack(p.nodes, 0, first, {0, 0}, 32);
    vector = esp::operation::emit_pack(p.nodes, vector, second, {0, 16}, 32);
    esp::traced<esp::shape<32>> const g{&t, vector};
    int const next = esp::tracing::trace_operand(t, g + g);
    p.add_output(next, graph::destination::parameter, 0);
    int const part = esp::operation::emit_part_of_vector(p.nodes, next, 16, esp::extents{1, {5}});
    esp::traced<esp::shape<5>> const read{&t, part};
    p.add_output(esp::tracing::trace_operand(t, read * c), graph::destination::result, 0);
    return p;
  }
  static constexpr esp::plan::storage_layout layout() { return {nullptr, nullptr, parameters, nullptr, nullptr}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values_and_addresses) {
  float const a[] = {1, 2, 3}, b[] = {4, 5, 6}, c[] = {1, 2, 3, 4, 5};
  alignas(64) float packed[32]{}, parameters[32]{}, result[5]{};
  auto const& memory = esp::plan::plan_of<definition>.memory;
  BOOST_TEST(memory.packed == 32);
  alignas(64) float workspace[static_cast<std::size_t>(memory.workspace) + 1]{};
  void* base[esp::plan::base::count]{};
  base[esp::plan::base::workspace] = workspace;
  base[esp::plan::base::gradients] = packed;
  base[esp::plan::base::states] = parameters;
  base[esp::plan::base::arguments] = const_cast<float*>(a);
  base[esp::plan::base::arguments + 1] = const_cast<float*>(b);
  base[esp::plan::base::arguments + 2] = const_cast<float*>(c);
  base[esp::plan::base::results] = result;
  esp::on_cpu::run<definition, float>(base);
  for (int i = 0; i < 3; ++i) BOOST_TEST(packed[i] == a[i] * b[i]);
  for (int i = 0; i < 5; ++i) BOOST_TEST(packed[16 + i] == c[i]);
  for (int i = 0; i < 32; ++i) BOOST_TEST(parameters[i] == 2 * packed[i]);
  for (int i = 0; i < 5; ++i) BOOST_TEST(result[i] == 2 * c[i] * c[i]);

  auto const& p = esp::plan::graph_of<definition>;
  float const* const arguments[] = {a, b, c};
  int const roots[] = {p.outputs[0].id, p.outputs[1].id};
  esp::tracing::interpreter<float> run{p.nodes, roots, 2};
  run.run({arguments, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
  for (int i = 0; i < 32; ++i) BOOST_TEST(run.value(roots[0])[i] == parameters[i]);
  for (int i = 0; i < 5; ++i) BOOST_TEST(run.value(roots[1])[i] == result[i]);
}
