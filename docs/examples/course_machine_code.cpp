// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's page 13: one LayerNorm as formula, expression, program, kernels and memory.
//   course_machine_code [FILE]    prints them; with FILE, compares them with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace plan = espalier::plan;

// [formula]
struct Norm {
  esp::parameter<esp::shape<8>, nn::init::initialized_by<nn::init::ones{}>> weight{};
  esp::parameter<esp::shape<8>, nn::init::initialized_by<nn::init::zeros{}>> bias{};
  ESPALIER_MODULE(Norm, weight, bias)

  constexpr auto forward(auto x) const { return normalize<-1>(x, 1e-5) * weight + bias; }
};

// A linear layer in front, so that the norm also passes a gradient on.
using Net = nn::Sequential<nn::Linear<6, 8, nn::no_bias>, Norm>;
using batch = esp::batch<4, 6>;
static_assert(esp::output_shape<Net, batch> == esp::shape<4, 8>{});
// [/formula]

// [expression]
// While a net is traced, `forward` returns a value of the program. Its type has the shape, but not the formula.
using value = esp::traced<esp::shape<4, 8>>;
static_assert(std::is_same_v<decltype(Norm{}.forward(value{})), value>);
// The type of a formula of tensors is a tree: add(multiply(a, a), 1).
constexpr auto square_and_one(auto const& a) { return a * a + 1.0f; }
using operand = esp::borrowed<float, esp::shape<4, 8>>;
using squared = esp::node<esp::multiply_, 0, esp::shape<4, 8>, operand, operand>;
using formula = esp::node<esp::add_, 0, esp::shape<4, 8>, squared, esp::number<float>>;
static_assert(
    std::is_same_v<decltype(square_and_one(std::declval<esp::tensor<float, esp::shape<4, 8>> const&>())), formula>);
// [/expression]

// [program]
// Program and plan are constexpr values, which any code may read.
using facts = esp::training_facts<Net, nn::MeanSquaredError, optim::SGD<>, batch>;
constexpr auto const& program = plan::graph_of<facts::program>;
constexpr auto const& planned = plan::plan_of<facts::program>;
// [/program]

namespace {

examples::recorded out;

void print_shape(esp::extents const& s) {
  out.print("(");
  for (int axis = 0; axis < s.rank; ++axis) out.print(axis == 0 ? "%d" : ",%d", s.at[axis]);
  out.print(")");
}

char const* const destinations[] = {"result", "gradient", "parameter", "buffer"};
char const* const kinds[] = {"fused",   "contraction", "permute", "strided broadcast", "strided reduction",
                             "convert", "random"};

void print_program() {
  out.print("program: %d nodes\n", program.nodes.size);
  for (int id = 1; id <= program.nodes.size; ++id) {
    auto const& node = program.nodes[id];
    std::size_t const start = out.length();
    out.print("%4d  %-14s", id, node.op->name);
    print_shape(node.shape);
    out.pad(start + 28);
    if (node.op->family == esp::op_family::constant) out.print("%g", constant_of(node));
    for (int operand : node.operand)
      if (operand != 0) out.print("%d ", operand);
    if (int const group = planned.groups.group_of[id]) {
      out.pad(start + 40);
      out.print("group %d", group);
    }
    for (int i = 0; i < program.output_count; ++i)
      if (program.outputs[i].id == id) {
        out.pad(start + 50);
        out.print("output %d: %s", i, destinations[static_cast<int>(program.outputs[i].where)]);
      }
    out.end_line();
  }
}

void print_plan() {
  int kernels = 0;
  for (int x = 1; x <= planned.groups.group_count; ++x) kernels += planned.ir.groups[x].kernel == x;
  out.print("groups: %d, distinct kernels: %d\n", planned.groups.group_count, kernels);
  for (int x = 1; x <= planned.groups.group_count; ++x) {
    auto const& group = planned.groups.groups[x];
    out.print("%4d  %s", x, kinds[static_cast<int>(group.kind)]);
    if (group.kind == plan::kernel_kind::fused)
      out.print(", %s, %d x %d, %d instructions, %d operands",
                group.order == plan::loop_order::columns ? "column by column" : "row by row", group.rows, group.columns,
                planned.ir.groups[x].instructions, planned.ir.groups[x].operands);
    for (int i = 0; i < planned.ir.groups[x].outputs; ++i) {
      int const id = planned.ir.outputs[planned.ir.groups[x].first_output + i];
      auto const& address = planned.memory.address_of[id];
      if (address.base == plan::base::workspace)
        out.print("; stores %d at workspace + %d", id, static_cast<int>(address.offset));
      else if (address.base == plan::base::gradients)
        out.print("; stores %d in the gradients + %d", id, static_cast<int>(address.offset));
      else out.print("; stores %d as a result", id);
    }
    out.print("\n");
  }
  out.print("workspace: %d bytes; live at once at most: %d bytes\n", static_cast<int>(facts::workspace_bytes),
            static_cast<int>(facts::peak_live_bytes));
}

}  // namespace

int main(int count, char** words) {
  print_program();
  print_plan();
  return out.finish(count, words);
}
