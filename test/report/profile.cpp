// SPDX-License-Identifier: BSL-1.0
// A profile counts every kernel of every run, says the bytes that the plan says, and changes no number that is
// computed. Times are only asked to be there.
#define BOOST_TEST_MODULE report_profile
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/parallel.hpp>
#include <espalier/report/profile.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace report = espalier::report;

namespace {

using Net = nn::MLPResNet<16, 16, 1, 4>;
using batch = esp::batch<8, 16>;
using Loss = nn::SoftmaxLoss;
using Optimizer = optim::Adam;

// Off, it is not there: the engine of an ordinary model has no state, as ever.
static_assert(std::is_empty_v<esp::model<Net>::engine_type>);
static_assert(sizeof(esp::model<Net, esp::profiled<>>) > sizeof(esp::model<Net>));

struct data {
  esp::tensor<float, batch> x;
  esp::tensor<std::int32_t, esp::shape<8>> y;
  data() {
    for (int i = 0; i < 128; ++i) x.data()[i] = static_cast<float>(i % 11) * 0.25f - 1;
    for (int i = 0; i < 8; ++i) y[i] = i % 4;
  }
};

/// Three steps and a prediction.
template <class Model>
auto train(Model& model) {
  data d;
  esp::trainer trainer{model, Loss{}, Optimizer{}, batch{}};
  for (int i = 0; i < 3; ++i) trainer.step(d.x, d.y);
  esp::predictor predict{model, batch{}};
  esp::tensor<float, esp::shape<8, 4>> scores;
  predict(d.x, scores);
  return scores;
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts) {
  esp::model<Net, esp::profiled<>> model{esp::seed{1}};
  BOOST_TEST(esp::profile_of(model).empty());
  train(model);
  auto const profiles = esp::profile_of(model);
  BOOST_TEST_REQUIRE(profiles.size() == 3u);
  using facts = esp::training_facts<Net, Loss, Optimizer, batch>;
  BOOST_TEST(profiles[0].program.title == "training of Sequential on (8, 16)");
  BOOST_TEST(profiles[1].program.title == "update by Adam");
  BOOST_TEST(profiles[2].program.title == "evaluation of Sequential on (8, 16)");
  BOOST_TEST(profiles[0].runs == 3);
  BOOST_TEST(profiles[1].runs == 3);
  BOOST_TEST(profiles[2].runs == 1);
  int kernels = 0;
  std::int64_t bytes = 0;
  for (int p = 0; p < 2; ++p)
    for (int x = 1; x < static_cast<int>(profiles[static_cast<std::size_t>(p)].seconds.size()); ++x) {
      ++kernels;
      bytes += profiles[static_cast<std::size_t>(p)].bytes(x);
    }
  BOOST_TEST(kernels == facts::kernel_count);
  BOOST_TEST(bytes == facts::bytes_moved);
  for (esp::program_profile const& p : profiles) {
    double shares = 0;
    for (int x = 0; x < static_cast<int>(p.seconds.size()); ++x) {
      BOOST_TEST(p.seconds[static_cast<std::size_t>(x)] >= 0);
      shares += p.share(x);
    }
    BOOST_TEST(p.total() > 0);
    BOOST_TEST(shares == 1, boost::test_tools::tolerance(1e-9));
  }
  esp::clear_profile(model);
  BOOST_TEST(esp::profile_of(model).empty());
}

BOOST_AUTO_TEST_CASE(same_numbers) {
  esp::model<Net> plain{esp::seed{1}};
  esp::model<Net, esp::profiled<>> profiled{esp::seed{1}};
  esp::model<Net, esp::profiled<esp::cpu_parallel<2>>> parallel{esp::seed{1}};
  auto const expected = train(plain);
  BOOST_TEST((train(profiled) == expected));
  BOOST_TEST((train(parallel) == expected));
  BOOST_TEST(esp::profile_of(parallel).size() == 3u);
  for (int i = 0; i < 4; ++i) BOOST_TEST(profiled(data{}.x).data()[i] == plain(data{}.x).data()[i]);
}

// The arithmetic, on times that are given.
BOOST_AUTO_TEST_CASE(table) {
  using Small = nn::Sequential<nn::Linear<8, 4>, nn::ReLU, nn::Linear<4, 3>>;
  using Program = esp::detail::evaluation_program<Small, esp::batch<2, 8>>;
  esp::program_profile const p{report::detail::titled_program<Program, float>::get(), 10, {0, 30e-6, 10e-6}};
  BOOST_TEST(p.bytes(1) == 240);
  BOOST_TEST(p.bytes(2) == 116);
  BOOST_TEST(p.total() == 40e-6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(p.share(1) == 0.75, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(p.gigabytes_per_second(1) == 240 * 10 / 30e-6 * 1e-9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(p.text() ==
             "evaluation of Sequential on (2, 8): 10 runs, 4.000 us each\n"
             "kernel  calls  us each  GB/s   share  what\n"
             "     1     10    3.000  0.08  75.0 %  product: v7 = relu(add(matmul(input, 0.weight), 0.bias))\n"
             "     2     10    1.000  0.12  25.0 %  product: v12 = add(matmul(v7, 2.weight), 2.bias)\n");
}
