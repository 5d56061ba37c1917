// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_alive
#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>

#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::tensor;
namespace detail = espalier::detail;

namespace {

[[gnu::noinline]] auto formula_of_a_local(tensor<float, shape<4>> const& x) {
  tensor<float, shape<4>> const local = x * 2;
  return sum(local * local);
}
constexpr auto by_value = [](auto x, auto y) { return sum(x * y); };

/// How a child ends that runs f: 0, or not.
template <class F>
bool ends_well(F const& f) {
  pid_t const child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    f();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_lies_below_the_frame_is_of_a_returned_function) {
  char here = 0;
  char const* const end = static_cast<char const*>(detail::end_of_frame());
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(NDEBUG)
  BOOST_TEST((end != nullptr && detail::is_of_a_returned_function(end - 1, end) &&
              detail::is_of_a_returned_function(end - 4096, end)));
#endif
  BOOST_TEST(!detail::is_of_a_returned_function(&here, end));
  BOOST_TEST(!detail::is_of_a_returned_function(end, end));
  BOOST_TEST(!detail::is_of_a_returned_function(nullptr, end));
  BOOST_TEST(!detail::is_of_a_returned_function(&here, nullptr));
  static int const elsewhere = 0;
  BOOST_TEST(!detail::is_of_a_returned_function(&elsewhere, end));
}

BOOST_AUTO_TEST_CASE(formulas_that_outlive_their_tensors_are_noticed) {
  tensor<float, shape<4>> const a{1, 2, 3, 4};
  BOOST_TEST(ends_well([&] {
    tensor<float, shape<>> const r = by_value(a, a);
    if (float(r) != 30) _exit(1);
  }));
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(NDEBUG)
  BOOST_TEST(!ends_well([&] { (void)evaluate(formula_of_a_local(a)); }));
#endif
  if (detail::erases_memory) {
    BOOST_TEST(!ends_well([&] {
      auto const kept = by_value(a, a);
      (void)evaluate(kept);
    }));
  }
}

BOOST_AUTO_TEST_CASE(formulas_of_tensors_that_are_there_are_not) {
  tensor<float, shape<4>> a{1, 2, 3, 4};
  auto const kept = a * evaluate(a + 1);
  a.fill(2);
  tensor<float, shape<4>> const of_kept = kept;
  BOOST_TEST(of_kept[3] == 10.0f);
  a = evaluate(a * 1) * a;
  BOOST_TEST(a[0] == 4.0f);
}
