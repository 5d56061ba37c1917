// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_compiled_structs
#include <boost/test/unit_test.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using rows = esp::tensor<float, esp::shape<2, 3>>;
using one_number = esp::tensor<float, esp::shape<>>;

template <class Position, class Velocity>
struct motion {
  Position position;
  Velocity velocity;
};
template <int Size>
struct stepper {
  nn::Linear<Size, Size> force;
  ESPALIER_MODULE(stepper, force)
  constexpr auto forward(auto state, auto h) const {
    auto const velocity = state.velocity + h * force(state.position);
    return motion{state.position + h * velocity, velocity};
  }
};
inline constexpr auto step = [](auto m, auto h) {
  auto const velocity = m.velocity - h * m.position;
  return motion{m.position + h * velocity, velocity};
};
rows const first_position{{1, 2, 3}, {4, 5, 6}}, v{{2, 0, 1}, {1, 1, 1}};
one_number const h{0.5f};
rows const velocity = v - h * first_position, moved_position = first_position + h * velocity;

BOOST_AUTO_TEST_CASE(structs_of_tensors_and_views) {
  motion m{first_position, v};
  esp::compiled run{step, m, h};
  run(m, h, m);  // in place
  BOOST_TEST((m.position == moved_position));
  BOOST_TEST((m.velocity == velocity));
  rows a, b;
  using view = esp::view<float, esp::shape<2, 3>>;
  run(motion{first_position, v}, h, motion{view(a), view(b)});
  BOOST_TEST((a == moved_position));
  BOOST_TEST((b == velocity));
  BOOST_CHECK_THROW(run(motion{first_position, v}, h, motion{view(a), view(a)}), esp::overlap_error);
}

BOOST_AUTO_TEST_CASE(one_result_never_throws) {
  one_number s;
  esp::compiled run{esp::cpu{}, [](auto x) { return sum(x.first * x.second); },
                    std::pair{first_position, esp::constant(v)}};
  static_assert(noexcept(run(std::pair{first_position, v}, s)));
  run(std::pair{first_position, v}, s);
  BOOST_TEST(static_cast<float>(s) == 20);
}

BOOST_AUTO_TEST_CASE(results_only_and_several_results) {
  motion<rows, rows> m;
  one_number s;
  esp::compiled run{[](auto a, auto b, auto c) {
                      return std::tuple{step(motion{a, b}, c), sum(a)};
                    },
                    first_position, v, h};
  run(first_position, v, h, m, s);
  BOOST_TEST((m.position == moved_position));
  BOOST_TEST(static_cast<float>(s) == 21);
}

BOOST_AUTO_TEST_CASE(beside_a_model_whose_forward_takes_a_struct) {
  esp::model<stepper<3>> net{esp::seed{1}};
  motion<rows, rows> y;
  esp::compiled run{[](auto model, auto m, auto c) { return model(m, c); }, net, motion{first_position, v}, h};
  run(motion{first_position, v}, h, y);
  auto const weight = net.parameter("force.weight");
  auto const bias = net.parameter("force.bias");
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      float force = bias.span()[static_cast<std::size_t>(j)];
      for (int k = 0; k < 3; ++k) force += first_position(i, k) * weight.span()[static_cast<std::size_t>(k * 3 + j)];
      BOOST_TEST(y.velocity(i, j) == v(i, j) + 0.5f * force, boost::test_tools::tolerance(1e-5f));
    }
}

BOOST_AUTO_TEST_CASE(structs_by_reference) {
  esp::compiled run{[](auto& pair, auto const& c, auto&& d) { return sum(pair.first * pair.second) * c + d; },
                    std::pair{first_position, v}, h, h};
  one_number s;
  run(std::pair{first_position, v}, h, h, s);
  one_number const expected = sum(first_position * v) * h + h;
  BOOST_TEST((s == expected));
}
