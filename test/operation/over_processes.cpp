// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE over_processes
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>

namespace esp = espalier;
using esp::op_family;
using vector = esp::tensor<double, esp::shape<5>>;

namespace {

inline constexpr auto through_mean = [](auto x) { return sum(square(esp::mean_over_processes(x))); };
inline constexpr auto through_moments = [](auto x) { return sum(square(esp::moments_over_processes<2, 7>(x))); };

// In programs of one process the result is the operand, and so are gradients.
constexpr vector at{1, -2, 3, 4, 5};
static_assert(vector{esp::mean_over_processes(at)} == at);
static_assert(vector{esp::moments_over_processes<2, 7>(at)} == at);
static_assert(esp::grad(through_mean)(at) == vector{2, -4, 6, 8, 10});
static_assert(esp::grad(through_moments)(at) == vector{2, -4, 6, 8, 10});

/// The program of f(x) and its gradient, among processes or not.
template <class F>
constexpr esp::graph::program with_gradient(F const& f, bool among_processes) {
  esp::graph::program p{};
  p.nodes.among_processes = among_processes;
  esp::tracing::tracer t{p, esp::tracing::mode::training, false, 0, 0};
  auto const x = esp::tracing::argument_of<esp::shape<5>>(t, 0);
  int const y = esp::tracing::trace_operand(t, f(x));
  esp::derivative::marks m{};
  esp::derivative::adjoints a{};
  m.at[x.id] = esp::derivative::mark::differentiated;
  esp::derivative::reverse(p.nodes, y, esp::operation::emit_constant(p.nodes, 1, esp::extents{}).id, m, a);
  p.add_output(y, esp::graph::destination::result, 0);
  p.add_output(a.of[x.id], esp::graph::destination::result, 1);
  return p;
}
constexpr int count_exchanges(esp::graph::program const& p, int moments) {
  int count = 0;
  for (int id = 1; id <= p.nodes.size; ++id)
    count += p.nodes[id].op->family == op_family::exchange && exchange_of(p.nodes[id]).moments == moments;
  return count;
}

}  // namespace

// One exchange forward, and one backward, which is a mean; the numbers behind the variances are not in it.
BOOST_AUTO_TEST_CASE(exchanges) {
  static constexpr auto mean = with_gradient(through_mean, true), moments = with_gradient(through_moments, true),
                        alone = with_gradient(through_moments, false);
  static_assert(count_exchanges(mean, 0) == 2 && count_exchanges(mean, 2) == 0);
  static_assert(count_exchanges(moments, 2) == 1 && count_exchanges(moments, 0) == 1);
  static_assert(count_exchanges(alone, 2) == 0 && count_exchanges(alone, 0) == 0);
  for (int id = 1; id <= moments.nodes.size; ++id) {
    esp::graph::node const& n = moments.nodes[id];
    if (n.op->family != op_family::exchange) continue;
    esp::graph::process_exchange const as = exchange_of(n);
    BOOST_TEST(n.shape.size() == (as.moments == 2 ? 5 : 4));
    BOOST_TEST(as.count == (as.moments == 2 ? 7 : 0));
  }
}

// Attributes keep large numbers.
static_assert([] {
  esp::graph::node n{&esp::graph::described<esp::exchange_>, {}, 0, esp::extents{}};
  for (int moments : {0, 1, esp::graph::max_moments})
    for (std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 38}) {
      n.attribute = esp::graph::exchange_attribute({moments, count});
      if (exchange_of(n).moments != moments || exchange_of(n).count != count) return false;
    }
  return true;
}());
