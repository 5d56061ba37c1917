// SPDX-License-Identifier: BSL-1.0
// Launches that repeat become one graph: when they are captured, what happens where one of them fails, and inside a
// capture of the user's.
#define BOOST_TEST_MODULE device_cuda_step_graph
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/step_graph.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace on_cuda = espalier::on_cuda;

namespace {
/// A machine that writes down what it is told.
struct recorder {
  static constexpr bool captures = true;
  struct captured_graph {
    std::string launches;
    void launch(recorder& m) const { m.seen += "[" + launches + "]"; }
  };
  void launch(char name) { (capturing_ ? recorded : seen) += name; }
  bool capturing() const { return capturing_; }
  void begin_capture() {
    capturing_ = true;
    recorded.clear();
  }
  captured_graph end_capture() {
    capturing_ = false;
    return {recorded};
  }
  void abandon_capture() noexcept {
    capturing_ = false;
    ++abandoned;
  }
  std::string seen, recorded;
  int choices() const { return chosen; }
  int abandoned = 0, chosen = 0;
  bool capturing_ = false;
};
struct plain {
  static constexpr bool captures = false;
  std::string seen;
  void launch(char name) { seen += name; }
};
template <class Backend>
struct engine {
  Backend* at;
  Backend& backend() const { return *at; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_second_time_is_captured_and_the_others_are_its_graph) {
  recorder m;
  engine<recorder> const e{&m};
  on_cuda::step_graphs<recorder, 2> graphs;
  for (int time = 0; time < 3; ++time) {
    graphs.run(e, 0, [&] { m.launch('a'), m.launch('b'); });
    m.seen += ' ';
    graphs.run(e, 1, [&] { m.launch('c'); });
    m.seen += ' ';
  }
  BOOST_TEST(m.seen == "ab c [ab] [c] [ab] [c] ");
  BOOST_TEST(m.abandoned == 0);
}
BOOST_AUTO_TEST_CASE(a_failed_capture_is_left_and_tried_again) {
  recorder m;
  engine<recorder> const e{&m};
  on_cuda::step_graphs<recorder, 1> graphs;
  bool fails = false;
  auto const launches = [&] {
    m.launch('a');
    if (fails) throw std::runtime_error{"no"};
    m.launch('b');
  };
  graphs.run(e, 0, launches);
  fails = true;
  BOOST_CHECK_THROW(graphs.run(e, 0, launches), std::runtime_error);
  BOOST_TEST(m.abandoned == 1);
  BOOST_TEST(!m.capturing());
  fails = false;
  graphs.run(e, 0, launches);
  BOOST_TEST(m.seen == "ab[ab]");
}
BOOST_AUTO_TEST_CASE(another_choice_of_the_backend_is_captured_again) {
  recorder m;
  engine<recorder> const e{&m};
  on_cuda::step_graphs<recorder, 1> graphs;
  auto const launches = [&] { m.launch(m.chosen == 0 ? 'a' : 'b'); };
  for (int time = 0; time < 3; ++time) graphs.run(e, 0, launches);
  m.chosen = 1;
  for (int time = 0; time < 3; ++time) graphs.run(e, 0, launches);
  BOOST_TEST(m.seen == "a[a][a]b[b][b]");
}
// Arguments that are read in place: a graph for each pair of addresses, and the one of copied arguments beside them.
BOOST_AUTO_TEST_CASE(each_address_has_its_graph) {
  recorder m;
  engine<recorder> const e{&m};
  on_cuda::step_graphs<recorder, 2> graphs;
  char const at[20]{};
  char name = 'a';
  auto const launches = [&] { m.launch(name); };
  auto const run = [&](char which, void const* x, void const* y) {
    name = which;
    graphs.run(e, 1, launches, x, y);
  };
  for (int time = 0; time < 3; ++time) {
    run('a', nullptr, nullptr);
    run('b', at, nullptr);
    run('c', nullptr, at);
    run('d', at, at + 1);
  }
  BOOST_TEST(m.seen == "abcd[a][b][c][d][a][b][c][d]");
  m.seen.clear();
  graphs.run(e, 0, launches, at, nullptr);  // another sequence has graphs of its own
  BOOST_TEST(m.seen == "d");
  // More than 16 pairs: the oldest is launched again, and the others keep their graphs.
  for (int i = 2; i < 17; ++i) run('x', at + i, nullptr);
  m.seen.clear();
  run('d', at, at + 1);
  run('b', at, nullptr);
  BOOST_TEST(m.seen == "[d]b");
}
BOOST_AUTO_TEST_CASE(a_user_capture_records_the_launches) {
  recorder m;
  engine<recorder> const e{&m};
  on_cuda::step_graphs<recorder, 1> graphs;
  auto const launches = [&] { m.launch('a'); };
  for (int time = 0; time < 2; ++time) graphs.run(e, 0, launches);
  m.begin_capture();
  graphs.run(e, 0, launches);
  auto const graph = m.end_capture();
  BOOST_TEST(graph.launches == "a");
  graph.launch(m);
  BOOST_TEST(m.seen == "a[a][a]");
}
BOOST_AUTO_TEST_CASE(a_backend_without_graphs_launches) {
  plain m;
  engine<plain> const e{&m};
  on_cuda::step_graphs<plain, 1> graphs;
  for (int time = 0; time < 3; ++time) graphs.run(e, 0, [&] { m.launch('a'); });
  BOOST_TEST(m.seen == "aaa");
}
