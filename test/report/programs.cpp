// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE report_programs
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/report/programs.hpp>

namespace esp = espalier;
namespace graph = espalier::graph;
namespace nn = espalier::nn;
namespace plan = espalier::plan;
namespace report = espalier::report;

namespace {
using Net = nn::Sequential<nn::Linear<4, 3>, nn::BatchNorm1d<3>>;
using Batch = esp::shape<2, 4>;
using Training = std::tuple<Net, nn::CrossEntropyLoss<>, esp::optim::SGD<>, Batch>;
template <class T>
struct programs_of;
template <class... X>
struct programs_of<std::tuple<X...>> : report::detail::programs_of<X...> {};

/// A layout of its own kind: the addresses are the test's.
struct drawn {
  report::node_row nodes[4]{};
  report::kernel_row kernels[4]{};
  graph::output results[1]{{2, graph::destination::result, 0, false}};
  report::view plan{};
  report::titled titled{"", &plan, 4, {}, {}, {}, {"loss"}};
  drawn() {
    plan.nodes = nodes;
    plan.node_count = 3;
    plan.kernels = kernels;
    plan.kernel_count = 3;
    plan.results = results;
    plan.result_count = 1;
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(which_arguments_name_programs) {
  using report::detail::programs_fault;
  static_assert(programs_fault<Net, Batch>::agree && !programs_fault<Net>::agree && !programs_fault<Net, int>::agree);
  static_assert(programs_fault<Net, nn::CrossEntropyLoss<>, esp::optim::SGD<>, Batch>::agree);
  static_assert(!programs_fault<Net, esp::shape<2, 5>>::agree);  // the layers do not fit
}

BOOST_AUTO_TEST_CASE(programs_in_the_order_of_execution) {
  auto const evaluation = report::detail::programs_of<Net, Batch>::programs();
  BOOST_REQUIRE(evaluation.size() == 1u);
  BOOST_TEST(evaluation[0].title == "evaluation of Sequential on (2, 4)");
  BOOST_TEST(evaluation[0].parameters == (std::vector<std::string>{"0.weight", "0.bias", "1.weight", "1.bias"}));
  auto const step = programs_of<Training>::programs();
  BOOST_REQUIRE(step.size() == 2u);
  BOOST_TEST(step[0].title.find("training of ") == 0u);
  BOOST_TEST(step[1].title == "update by SGD");
  BOOST_TEST(step[1].parameters == std::vector<std::string>{"parameters"});
}

BOOST_AUTO_TEST_CASE(names_of_values) {
  auto const t = programs_of<Training>::programs()[0];
  bool found_input = false, found_target = false;
  for (int id = 1; id <= t.plan->node_count; ++id) {
    report::node_row const& n = t.plan->nodes[id];
    std::string const name = report::name_of(t, id);
    if (n.op->family == graph::op_family::argument) found_input = found_input || name == "input";
    if (n.op->family == graph::op_family::label) found_target = found_target || name == "target";
    if (n.op->family == graph::op_family::parameter) BOOST_TEST(name == t.parameters[n.attribute]);
    if (n.op->family == graph::op_family::elementwise) BOOST_TEST(name == "v" + std::to_string(id));
  }
  BOOST_TEST((found_input && found_target));
  using graph::destination;
  BOOST_TEST(report::name_of(t, graph::output{1, destination::result, 0, true}) == "loss");
  BOOST_TEST(report::name_of(t, graph::output{1, destination::result, 7, true}) == "result 7");
  BOOST_TEST(report::name_of(t, graph::output{1, destination::gradient, 0, false}) == "gradient of 0.weight");
  BOOST_TEST(report::name_of(t, graph::output{1, destination::parameter, 9, false}) == "new parameter 9");
  BOOST_TEST(report::name_of(t, graph::output{1, destination::buffer, 0, false}) == "new " + t.buffers[0]);
}

BOOST_AUTO_TEST_CASE(addresses) {
  drawn d;
  d.nodes[1].kernel = 1;
  d.nodes[1].at = {plan::base::workspace, 32};
  d.nodes[1].last_use = 3;
  BOOST_TEST(report::address_text(d.titled, 1) == "workspace +128, until kernel 3");
  d.nodes[1].last_use = 4;
  BOOST_TEST(report::address_text(d.titled, 1) == "workspace +128, to the end");
  d.nodes[2].kernel = 2;
  d.nodes[2].holder = 2;
  d.nodes[2].at = {plan::base::results, 0};
  BOOST_TEST(report::address_text(d.titled, 2) == "loss");
  BOOST_TEST(report::address_text(d.titled, 3) == "memory");
}

BOOST_AUTO_TEST_CASE(kinds_of_kernels) {
  report::kernel_row k{};
  k.rows = 4;
  k.columns = 6;
  k.order = plan::loop_order::rows;
  BOOST_TEST(report::kind_text(k) == "row by row, 4 x 6");
  k.order = plan::loop_order::columns;
  BOOST_TEST(report::kind_text(k) == "column by column, 4 x 6");
  k.kind = plan::kernel_kind::contraction;
  BOOST_TEST(report::kind_text(k) == "product");
  k.windowed = true;
  BOOST_TEST(report::kind_text(k) == "product of windows");
  k.kind = plan::kernel_kind::strided_reduction;
  BOOST_TEST(report::kind_text(k) == "reduction of windows");
  k.kind = plan::kernel_kind::scatter_add;
  BOOST_TEST(report::kind_text(k) == "scatter-add");
}
// The statistics of all processes: the names of the training program, other kernels.
BOOST_AUTO_TEST_CASE(statistics_of_all_processes) {
  using Program = esp::detail::synchronized_training_program<nn::Sequential<nn::Linear<4, 3>, nn::SyncBatchNorm<3>>,
                                                             nn::CrossEntropyLoss<>, Batch, false>;
  report::titled const t = report::detail::titled_program<Program, float>::get();
  BOOST_TEST(t.title == "training of Sequential on (2, 4), statistics of all processes");
  BOOST_TEST(t.parameters.size() == 4);
  int exchanges = 0;
  for (int x = 1; x <= t.plan->kernel_count; ++x)
    exchanges += report::kind_text(t.plan->kernels[x]) == "exchange with other processes";
  BOOST_TEST(exchanges == 2);
}
