// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_sentence_facts
#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <espalier/base/invalid.hpp>
#include <espalier/base/sentence_facts.hpp>

// What compilers with computed messages print is checked here with every compiler: the words are constant expressions
// of C++20. Types of higher floors are declared as they are there: only their names matter.
namespace espalier {
template <int...>
struct shape {};
template <int>
struct channels {};
template <int>
struct kernel_inputs {};
template <int, int>
struct padding {};
template <int...>
struct axes {};
template <int>
struct along {};
template <int>
struct cpu_parallel {};
struct cuda {};
struct relu_ {};
namespace nn {
struct real {
  double value;
};
template <int, int>
struct Linear {};
template <real>
struct Dropout {};
template <class...>
struct Sequential {};
}  // namespace nn
}  // namespace espalier

namespace {

using espalier::shape;
using espalier::detail::named;
using espalier::detail::stated;
using espalier::detail::unless;
namespace nn = espalier::nn;

template <class... Operands>
struct disagree {
  static constexpr bool agree = false;
};
template <double, long>
struct numbers {
  static constexpr bool agree = false;
};
template <auto>
struct one_value {
  static constexpr bool agree = false;
};
template <class...>
struct missing {
  static constexpr bool agree = false;
  static constexpr char const* reads = "{} in the net, {...} in the file";
};
struct half {};
struct my_layer {};
template <int>
struct small_layer {};
enum class mode { slow, fast };

template <class... Facts>
constexpr espalier::detail::sentence<Facts...> sentence_of(char const* text) {
  return {text};
}
template <class... Facts>
std::string words(char const* text) {
  auto const message = sentence_of<Facts...>(text);
  return {message.data(), message.size()};
}
constexpr bool same(auto const& message, std::string_view text) {
  return std::string_view(message.data(), message.size()) == text;
}

}  // namespace

// The text is there for the compiler.
static_assert(
    same(sentence_of<disagree<shape<8, 13>, shape<12, 16>>>("matmul(a, b): columns of a must equal rows of b"),
         "matmul(a, b): columns of a must equal rows of b; a is (8, 13), b is (12, 16)"));
static_assert(same(sentence_of<espalier::agreed>("f(x): no"), "f(x): no"));

// The macro is the sentence alone where the compiler takes nothing else, and a message of the facts where it does.
static_assert(true, ESPALIER_SENTENCE("f(x): "
                                      "no",
                                      disagree<int, float>, disagree<bool>));
#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
static_assert(same(ESPALIER_SENTENCE("f(x): "
                                     "no",
                                     disagree<bool>),
                   "f(x): no; x is bool"));
static_assert(same(ESPALIER_SENTENCE("f: no", ESPALIER_STATED((2 > 3), ESPALIER_NAMED("two", 2, 3))),
                   "f: no; two (2, 3)"));
#else
static_assert(std::string_view(ESPALIER_SENTENCE("f(x): "
                                                 "no",
                                                 disagree<bool, int>) ESPALIER_FACTS_HINT(", see there")) ==
              "f(x): no, see there");
#endif

BOOST_AUTO_TEST_CASE(operands_have_the_names_of_the_sentence) {
  BOOST_TEST((words<disagree<float, double>>("a + b: operands mix")) == "a + b: operands mix; a is float, b is double");
  BOOST_TEST((words<disagree<shape<2>, shape<>, shape<3>>>("where(condition, a, b): no")) ==
             "where(condition, a, b): no; condition is (2), a is (), b is (3)");
  BOOST_TEST((words<disagree<shape<4>, espalier::axes<0, 2>>>("sum<axes...>(x): no")) ==
             "sum<axes...>(x): no; x is (4), axes (0, 2)");
  BOOST_TEST((words<disagree<shape<4>, shape<3>>>("cross_entropy(z, labels): no")) ==
             "cross_entropy(z, labels): no; z is (4), labels are (3)");
  BOOST_TEST((words<disagree<shape<4>, shape<3>>>("f(x, loss): no")) == "f(x, loss): no; x is (4), loss is (3)");
}

// A sentence that names no operands may be of several relations: the relation has its name then.
BOOST_AUTO_TEST_CASE(operands_without_names) {
  // one name for two
  BOOST_TEST((words<disagree<float, double>>("evaluate(x): no")) == "evaluate(x): no; float and double");
  BOOST_TEST((words<disagree<shape<2>, shape<3>>>("stack<axis>(a, b, ...): no")) ==
             "stack<axis>(a, b, ...): no; disagree: (2) and (3)");
  BOOST_TEST((words<disagree<shape<2>, shape<3>, shape<4>>>("f: no")) == "f: no; disagree: (2), (3), (4)");
  BOOST_TEST((words<disagree<shape<2>>>("no colon")) == "no colon; got (2)");
  BOOST_TEST((words<disagree<espalier::channels<3>, espalier::kernel_inputs<4>, espalier::padding<1, -1>>>(
                 "conv2d(x, w): no")) == "conv2d(x, w): no; channels 3, kernel inputs 4, padding (1, -1)");
  BOOST_TEST((words<disagree<shape<4, 5>, shape<4, 3>, espalier::along<0>>>("f: no")) ==
             "f: no; disagree: (4, 5), (4, 3), axis 0");
}

BOOST_AUTO_TEST_CASE(an_invalid_type_lists_its_path) {
  using espalier::invalid;
  BOOST_TEST((words<invalid<disagree<shape<2, 3>, shape<3, 2>>, espalier::at_axis<-1>>>("a + b: no")) ==
             "a + b: no; a is (2, 3), b is (3, 2), at axis -1");
  using Deep = invalid<disagree<shape<32, 64>, shape<128, 10>>, nn::Linear<128, 10>, espalier::layer<3, 7>, my_layer,
                       small_layer<4>>;
  BOOST_TEST(
      (words<Deep>("a layer does not fit its input")) ==
      "a layer does not fit its input; disagree: (32, 64) and (128, 10), in Linear<128, 10>, layer 3 of 7, in my_layer, in small_layer<4>");
  BOOST_TEST((words<invalid<disagree<shape<8>>, shape<4, 8>, nn::Dropout<nn::real{0.5}>>>("f: no")) ==
             "f: no; got (8), of (4, 8), in Dropout<0.5>");
}

BOOST_AUTO_TEST_CASE(only_violated_relations_are_reported) {
  BOOST_TEST((words<espalier::agreed, disagree<float, half>, espalier::detail::shape_is<int, int>>("f: no")) ==
             "f: no; disagree: float and half");
  BOOST_TEST((words<shape<3>>("f: no")) == "f: no");  // the result of what was not refused
  BOOST_TEST((words<stated<true, int>, unless<true, disagree<int>>>("f: no")) == "f: no");
  BOOST_TEST((words<disagree<float>, disagree<double>>("f: no")) == "f: no; got float; got double");
  // one type for all
  BOOST_TEST(
      (std::is_same_v<espalier::detail::sentence<stated<true, int>>, espalier::detail::sentence<stated<true, float>>>));
}

BOOST_AUTO_TEST_CASE(stated_facts) {
  BOOST_TEST((words<stated<false, long>>("tensor<T, S>: T is float")) == "tensor<T, S>: T is float; got int64");
  BOOST_TEST((words<stated<false, named<"eps", -1e-5>, named<"stride", 2, 0>, named<"Count", -1>>>("norm: no")) ==
             "norm: no; eps -1e-05, stride (2, 0), Count -1");
  BOOST_TEST((words<unless<false, missing<float, int, bool>>>("f: no")) ==
             "f: no; float in the net, int32 and bool in the file");
}

BOOST_AUTO_TEST_CASE(a_relation_defines_its_message) {
  BOOST_TEST((words<missing<shape<2, 1>, shape<1, 2>>>("f(a, b): no")) ==
             "f(a, b): no; (2, 1) in the net, (1, 2) in the file");
  BOOST_TEST((words<missing<shape<2>, shape<3>, shape<4>, shape<5>>>("f: no")) ==
             "f: no; (2) in the net, (3), (4) and (5) in the file");
}

// Compilers bound the steps of a constant expression: a net of many layers is named, not read.
template <int... I>
nn::Sequential<nn::Linear<I, I>...> net_of(std::integer_sequence<int, I...>);
using Long = decltype(net_of(std::make_integer_sequence<int, 800>{}));
static_assert(espalier::detail::written_type<Long>().size > 20000);
static_assert(same(sentence_of<espalier::invalid<disagree<shape<2>, shape<3>>, Long, my_layer>>("f: no"),
                   "f: no; disagree: (2) and (3), in Sequential, in my_layer"));
static_assert(same(sentence_of<disagree<Long, my_layer>>("f: no"), "f: no; disagree"));

BOOST_AUTO_TEST_CASE(more_places_than_arguments) {
  BOOST_TEST((words<missing<float>>("f: no")) == "f: no; float in the net,  in the file");
}

BOOST_AUTO_TEST_CASE(types_and_values) {
  BOOST_TEST((words<disagree<std::int32_t, std::int64_t, bool>>("f: no")) == "f: no; disagree: int32, int64, bool");
  BOOST_TEST((words<disagree<float const, half, espalier::cuda>>("f: no")) == "f: no; disagree: float, half, cuda");
  BOOST_TEST((words<disagree<espalier::relu_>>("f: no")) == "f: no; got relu");
  BOOST_TEST((words<disagree<nn::Sequential<nn::Linear<2, 3>>, espalier::cpu_parallel<2>>>("f: no")) ==
             "f: no; disagree: Sequential and cpu_parallel<2>");
  BOOST_TEST((words<disagree<std::tuple<shape<2>, shape<3>>>>("f: no")) == "f: no; got ((2), (3))");
  BOOST_TEST((words<numbers<0.1, -7>>("f: no")) == "f: no; numbers: 0.1, -7");
  BOOST_TEST((words<one_value<nn::real{1.5}>>("f: no")) == "f: no; got 1.5");
  BOOST_TEST((words<one_value<mode::fast>>("f: no")) == "f: no; got fast");
  auto const f = [](int) {};
  BOOST_TEST((words<disagree<decltype(f)>>("f: no")) == "f: no; got a lambda");
}

BOOST_AUTO_TEST_CASE(reals_are_those_of_printf) {
  for (double const x : {0.0, 1.0, -1.0, 0.1, 0.25, 1.5, 100000.0, 999999.5, 1e6, 123456.7, 0.0001, 0.00012345678, 1e-5,
                         -1e-7, 9.9999995, 3.14159265, 1e300, 2.5e-300})
    for (char const* form : {"%e", "%.17e"}) {  // clang and g++
      char written[64], expected[32];
      std::snprintf(written, sizeof written, form, x);
      std::snprintf(expected, sizeof expected, "%g", std::stod(written));
      espalier::detail::written_text text;
      espalier::detail::write_number(text, written);
      BOOST_TEST(std::string(text.text) == expected, written);
    }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_long_ends_in_dots) {
  espalier::detail::written_text text;
  for (int i = 0; i < 300; ++i) text << "word ";
  BOOST_TEST(text.size == espalier::detail::written_text::capacity);
  BOOST_TEST(std::string(text.text).substr(997) == "...");
}
