// SPDX-License-Identifier: BSL-1.0
// Training on several simulated devices, against the same training on one.
#define BOOST_TEST_MODULE device_cuda_parallel_engine
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
/// Collectives that note their calls, and forget a wait when a test says so.
struct noted_collectives : esp::on_cuda::simulated_collectives {
  using base = esp::on_cuda::simulated_collectives;
  using base::base;
  static inline bool forgets_after = false, forgets_before = false;
  static inline std::vector<std::int64_t> averages;  // of device 0
  void after(int k) {
    if (!(forgets_after && k == 1)) base::after(k);
  }
  void before(int k) {
    if (!(forgets_before && k == 1)) base::before(k);
  }
  template <class T>
  void average(int k, T* at, std::int64_t count) {
    if (k == 0) averages.push_back(count);
    base::average(k, at, count);
  }
};
template <int Devices, std::size_t BucketBytes>
struct noted_cuda_parallel {};
}  // namespace
namespace espalier::detail {
template <int Devices, std::size_t BucketBytes>
inline constexpr bool is_device_group<noted_cuda_parallel<Devices, BucketBytes>> = true;
template <int Devices, std::size_t BucketBytes>
struct storage_on<noted_cuda_parallel<Devices, BucketBytes>> {
  static constexpr bool included = true;
};
template <int Devices, std::size_t BucketBytes>
struct single_device_of<noted_cuda_parallel<Devices, BucketBytes>> {
  using type = espalier::simulated_cuda;
};
}  // namespace espalier::detail
namespace espalier::on_cuda {
template <int Devices, std::size_t BucketBytes>
struct group_members<noted_cuda_parallel<Devices, BucketBytes>>
    : group_members<simulated_cuda_parallel<Devices, BucketBytes>> {
  using collectives = noted_collectives;
};
template <int Devices, std::size_t BucketBytes>
struct backend_for<noted_cuda_parallel<Devices, BucketBytes>> {
  using type = device_group<noted_cuda_parallel<Devices, BucketBytes>>;
};
}  // namespace espalier::on_cuda

namespace {
using narrow = std::tuple<esp::half, esp::bfloat16>;
using Perceptron = nn::Sequential<nn::Linear<5, 7>, nn::Tanh, nn::Linear<7, 9>, nn::ReLU, nn::Linear<9, 3>>;
using Normalized = nn::Sequential<nn::Linear<5, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 3>>;
using Dropped = nn::Sequential<nn::Linear<5, 64>, nn::Dropout<0.5>, nn::Linear<64, 3>>;

template <int Devices, std::size_t BucketBytes = 64>
using parallel = esp::simulated_cuda_parallel<Devices, BucketBytes>;

template <int N, class T = float>
struct task {
  tensor<T, shape<N, 5>> images = numbers<T, shape<N, 5>>(N);
  tensor<std::int32_t, shape<N>> labels;
  task() {
    for (int i = 0; i < N; ++i) labels[i] = images[5 * i] > 0 ? (images[5 * i + 1] > 0 ? 2 : 1) : 0;
  }
  template <int First, int Count>
  auto part() const {
    std::pair<tensor<T, shape<Count, 5>>, tensor<std::int32_t, shape<Count>>> r;
    for (int i = 0; i < 5 * Count; ++i) r.first[i] = images[5 * First + i];
    for (int i = 0; i < Count; ++i) r.second[i] = labels[First + i];
    return r;
  }
};

template <class Elements>
auto on_host(Elements const& elements) {
  std::vector<std::remove_const_t<typename Elements::element_type>> r(static_cast<std::size_t>(elements.size()));
  elements.to_host({r.data(), elements.size()});
  return r;
}
/// Elements as device k has them.
template <class Device, class T>
auto on_device(esp::device_span<T, Device> const& elements, int k) {
  auto& group = esp::on_cuda::default_backend<Device>();
  std::vector<std::remove_const_t<T>> r(static_cast<std::size_t>(elements.size()));
  group.backend(k).to_host(r.data(), group.address(k, elements.data()), r.size() * sizeof(T));
  return r;
}
template <class Device, class T>
void check_same_bits(esp::device_span<T, Device> const& elements, char const* what) {
  auto const expected = on_device(elements, 0);
  for (int k = 1; k < esp::on_cuda::backend_of<Device>::count; ++k) {
    auto const got = on_device(elements, k);
    BOOST_TEST(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0, what << " of device " << k);
  }
}
template <class T>
void check_close(std::vector<T> const& a, std::vector<T> const& b, double within) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    BOOST_TEST(near(static_cast<double>(a[i]), static_cast<double>(b[i]), within),
               i << ": " << a[i] << " and " << b[i]);
}
auto has(char const* part) {
  return [=](std::exception const& e) {
    std::string const text = e.what();
    BOOST_TEST((text.find(part) != std::string::npos), text);
    return text.find(part) != std::string::npos;
  };
}

/// The parts of a batch together make the steps of the whole batch.
template <class Device, class T, class Optimizer>
void check_training(char const* name, Optimizer const& optimizer) {
  BOOST_TEST_CONTEXT(name) {
    task<12, T> const large;
    task<6, T> const small;
    esp::model<Perceptron, esp::simulated_cuda, T> one{esp::seed{3}};
    esp::model<Perceptron, Device, T> several{esp::seed{3}};
    BOOST_TEST(on_host(several.parameters()) == on_host(one.parameters()), boost::test_tools::per_element());
    esp::trainer expected{one, nn::SoftmaxLoss{}, optimizer, esp::batch<12, 5>{}, esp::batch<6, 5>{}};
    esp::trainer trainer{several, nn::SoftmaxLoss{}, optimizer, esp::batch<12, 5>{}, esp::batch<6, 5>{}};
    double const within = std::is_same_v<T, float> ? 1e-4 : 1e-11;
    for (int step = 0; step < 6; ++step) {
      double a = 0, b = 0;
      if (step % 3 == 2) {
        a = static_cast<double>(trainer.step(small.images, small.labels));
        b = static_cast<double>(expected.step(small.images, small.labels));
      } else {
        a = static_cast<double>(trainer.step(large.images, large.labels));
        b = static_cast<double>(expected.step(large.images, large.labels));
      }
      BOOST_TEST(near(a, b, within), "loss of step " << step << ": " << a << " and " << b);
      check_same_bits(several.parameters(), "parameters");
      check_same_bits(trainer.gradients(), "gradients");
      check_same_bits(trainer.states(), "states");
    }
    check_close(on_host(trainer.gradients()), on_host(expected.gradients()), within);
    check_close(on_host(several.parameters()), on_host(one.parameters()), within);
    auto const got = trainer.evaluate(large.images, large.labels),
               wanted = expected.evaluate(large.images, large.labels);
    BOOST_TEST(near(got.loss, wanted.loss, within));
    BOOST_TEST(got.correct == wanted.correct);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(several_devices_train_as_one) {
  auto const adam = optim::Adam{.learning_rate = 0.01, .weight_decay = 1e-3};
  check_training<parallel<1>, float>("one device", adam);
  check_training<parallel<2, 1>, float>("two, a bucket for each gradient", adam);
  check_training<parallel<2, 100>, float>("two, odd buckets", adam);
  check_training<parallel<2, (std::size_t{25} << 20)>, double>("two, one bucket, double", adam);
  check_training<parallel<3>, float>("three", adam);
  check_training<parallel<6>, double>("six, one sample each",
                                      optim::SGD{.learning_rate = 0.1, .momentum = optim::heavy_ball{0.9}});
}
BOOST_AUTO_TEST_CASE(wrappers_act_on_the_mean_gradient) {
  check_training<parallel<2>, float>("clip", optim::clip_by_norm{optim::SGD{.learning_rate = 1.0}, 0.05});
  check_training<parallel<3>, float>("scale", optim::scale_loss{optim::SGD{.learning_rate = 0.1}, 1024});
  check_training<parallel<2>, double>("penalty", optim::penalized{optim::SGD<>{.learning_rate = 0.1}, 0.2, 0.05, true});
}

BOOST_AUTO_TEST_CASE(buckets_are_exchanged_as_planned_and_the_loss_last) {
  using device = noted_cuda_parallel<2, 100>;
  task<12> const t;
  esp::model<Perceptron, device> model{esp::seed{3}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<12, 5>{}};
  noted_collectives::averages.clear();
  auto const before = esp::on_cuda::default_backend<device>().collectives().exchanges();
  trainer.step(t.images, t.labels);
  using program = esp::detail::training_program<Perceptron, nn::SoftmaxLoss, shape<6, 5>>;
  constexpr auto const& b = esp::plan::gradient_buckets_of<program, 25>;
  constexpr int groups = esp::plan::plan_of<program>.groups.group_count;
  static_assert(b.bucket_count >= 3 && b.buckets[0].after < groups);
  std::vector<std::int64_t> expected;
  for (int i = 0; i < b.range_count; ++i) expected.push_back(b.ranges[i].size);
  expected.push_back(1);
  BOOST_TEST(noted_collectives::averages == expected, boost::test_tools::per_element());
  int exchanges = 1;  // that of the loss; buckets after one group are together
  for (int i = 0; i < b.bucket_count; ++i)
    exchanges += b.buckets[i].after <= groups && (i == 0 || b.buckets[i].after != b.buckets[i - 1].after);
  BOOST_TEST(esp::on_cuda::default_backend<device>().collectives().exchanges() - before == exchanges);
  BOOST_TEST(exchanges >= 3);
}
BOOST_AUTO_TEST_CASE(a_missing_wait_is_reported) {
  using device = noted_cuda_parallel<2, 64>;
  task<12> const t;
  esp::model<Perceptron, device> model{esp::seed{3}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<12, 5>{}};
  trainer.step(t.images, t.labels);
  noted_collectives::forgets_after = true;
  BOOST_CHECK_EXCEPTION(trainer.step(t.images, t.labels), esp::cuda_error,
                        has("device 1 does not wait for its own work"));
  noted_collectives::forgets_after = false;
  trainer.step(t.images, t.labels);
  noted_collectives::forgets_before = true;
  BOOST_CHECK_EXCEPTION(trainer.step(t.images, t.labels), esp::cuda_error,
                        has("which an exchange on another stream writes; wait for the exchange first"));
  noted_collectives::forgets_before = false;
}

// Two halves of a batch with the same samples: the same masks would make the loss of one half.
BOOST_AUTO_TEST_CASE(each_device_has_its_own_random_numbers) {
  task<4> const half;
  task<8> twice;
  for (int i = 0; i < 40; ++i) twice.images[i] = half.images[i % 20];
  for (int i = 0; i < 8; ++i) twice.labels[i] = half.labels[i % 4];
  auto const losses = [&]<class Device>(std::type_identity<Device>, auto const& t, auto batch) {
    esp::model<Dropped, Device> model{esp::seed{5}};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0}, batch};
    std::vector<float> r;
    for (int step = 0; step < 3; ++step) r.push_back(trainer.step(t.images, t.labels));
    return r;
  };
  auto const one = losses(std::type_identity<esp::simulated_cuda>{}, half, esp::batch<4, 5>{});
  auto const same = losses(std::type_identity<parallel<1>>{}, half, esp::batch<4, 5>{});
  auto const two = losses(std::type_identity<parallel<2>>{}, twice, esp::batch<8, 5>{});
  auto const again = losses(std::type_identity<parallel<2>>{}, twice, esp::batch<8, 5>{});
  BOOST_TEST(one == same, boost::test_tools::per_element());
  BOOST_TEST(two == again, boost::test_tools::per_element());
  for (std::size_t i = 0; i < 3; ++i) {
    float const of_other = 2 * two[i] - one[i];  // device 0 has the masks of one device
    BOOST_TEST(std::abs(of_other - one[i]) > 1e-4f, "step " << i << ": " << two[i] << " and " << one[i]);
    BOOST_TEST((of_other > 0 && of_other < 10));
  }
}

BOOST_AUTO_TEST_CASE(running_statistics_are_those_of_device_0) {
  task<12> const t;
  auto const [first_images, first_labels] = t.part<0, 6>();
  auto const [second_images, second_labels] = t.part<6, 6>();
  auto const still = optim::SGD{.learning_rate = 0};
  esp::model<Normalized, parallel<2>> model{esp::seed{2}};
  esp::model<Normalized, esp::simulated_cuda> first{esp::seed{2}}, second{esp::seed{2}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, still, esp::batch<12, 5>{}};
  esp::trainer of_first{first, nn::SoftmaxLoss{}, still, esp::batch<6, 5>{}};
  esp::trainer of_second{second, nn::SoftmaxLoss{}, still, esp::batch<6, 5>{}};
  for (int step = 0; step < 3; ++step) {
    copy(first, second);  // every device begins with the statistics of device 0
    float const a = of_first.step(first_images, first_labels), b = of_second.step(second_images, second_labels);
    BOOST_TEST(near(trainer.step(t.images, t.labels), 0.5f * (a + b), 1e-6));
    BOOST_TEST(on_device(model.buffers(), 0) == on_host(first.buffers()), boost::test_tools::per_element());
    BOOST_TEST(on_device(model.buffers(), 1) == on_host(second.buffers()), boost::test_tools::per_element());
    BOOST_TEST((on_device(model.buffers(), 0) != on_device(model.buffers(), 1)));
    BOOST_TEST(on_host(model.buffers()) == on_host(first.buffers()), boost::test_tools::per_element());
  }
  esp::model<Normalized> host;
  copy(model, host);
  auto const scores = host(t.images), own = model(t.images);
  for (int i = 0; i < 36; ++i) BOOST_TEST(near(scores[i], own[i], 1e-5));
}

// An infinity on one device is in the mean, so all devices skip the update.
BOOST_AUTO_TEST_CASE(all_devices_skip_an_update) {
  task<12> const t;
  task<12> broken;
  broken.images[5 * 7 + 2] = std::numeric_limits<float>::infinity();  // of device 1
  esp::model<Normalized, parallel<2>> model{esp::seed{2}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::Adam{.learning_rate = 0.01}, 1024},
                       esp::batch<12, 5>{}};
  trainer.step(t.images, t.labels);
  auto const parameters = on_host(model.parameters()), buffers = on_host(model.buffers());
  trainer.step(broken.images, broken.labels);
  BOOST_TEST(trainer.skipped_updates() == 1);
  BOOST_TEST(trainer.steps() == 1);
  BOOST_TEST(trainer.loss_scale() == 512);
  BOOST_TEST(on_host(model.parameters()) == parameters, boost::test_tools::per_element());
  BOOST_TEST(on_host(model.buffers()) == buffers, boost::test_tools::per_element());
  check_same_bits(model.parameters(), "parameters");
  check_same_bits(trainer.states(), "states");
  check_same_bits(trainer.loss_scale_state(), "scale");
  trainer.step(broken.images, broken.labels, esp::queued{});
  BOOST_TEST(on_host(model.buffers()) == buffers, boost::test_tools::per_element());
  BOOST_TEST(trainer.skipped_updates() == 2);
  BOOST_TEST(trainer.loss_scale() == 256);
  trainer.step(t.images, t.labels);
  BOOST_TEST(trainer.steps() == 2);
  BOOST_TEST((on_host(model.parameters()) != parameters));
  check_same_bits(model.parameters(), "parameters");
}

BOOST_AUTO_TEST_CASE(what_is_written_goes_to_all_devices) {
  task<12> const t;
  esp::model<Normalized> host{esp::seed{9}};
  esp::model<Normalized, parallel<2>> model{esp::seed{1}};
  copy(host, model);
  check_same_bits(model.parameters(), "parameters");
  check_same_bits(model.buffers(), "buffers");
  esp::model<Normalized> back;
  copy(model, back);
  BOOST_TEST(copy(back.parameters()) == copy(host.parameters()), boost::test_tools::per_element());
  std::vector<float> bias{1, 2, 3}, read(3);
  model.parameter("3.bias").from_host({bias.data(), 3});
  model.parameter("3.bias").to_host({read.data(), 3});
  BOOST_TEST(read == bias, boost::test_tools::per_element());
  model.for_each_parameter([](std::string_view name, auto const&, auto span) {
    if (name == "0.bias") span[0] = 7;
  });
  check_same_bits(model.parameters(), "parameters");

  // A training that is resumed from its numbers on the host continues with the same bits.
  auto const adam = optim::Adam{.learning_rate = 0.01};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, esp::batch<12, 5>{}};
  for (int step = 0; step < 2; ++step) trainer.step(t.images, t.labels, esp::queued{});
  auto resumed = model.clone();
  check_same_bits(resumed.parameters(), "parameters of a clone");
  esp::trainer second{resumed, nn::SoftmaxLoss{}, adam, esp::batch<12, 5>{}};
  auto states = on_host(trainer.states());
  second.states().from_host({states.data(), static_cast<std::int64_t>(states.size())});
  second.continue_after(trainer.steps());
  trainer.learning_rate() = second.learning_rate() = 0.02;
  BOOST_TEST(trainer.step(t.images, t.labels) == second.step(t.images, t.labels));
  BOOST_TEST(on_host(resumed.parameters()) == on_host(model.parameters()), boost::test_tools::per_element());
  auto const moved = std::move(resumed);
  BOOST_TEST(on_host(moved.parameters()) == on_host(model.parameters()), boost::test_tools::per_element());
  check_same_bits(moved.parameters(), "parameters of a moved model");
}
BOOST_AUTO_TEST_CASE(device_0_evaluates) {
  task<12> const t;
  esp::model<Perceptron, parallel<3>> model{esp::seed{1}};
  esp::model<Perceptron, esp::simulated_cuda> one{esp::seed{1}};
  auto& group = esp::on_cuda::default_backend<parallel<3>>();
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<12, 5>{}};
  esp::predictor predict{model, esp::batch<7, 5>{}};  // 3 does not divide 7
  auto const seven = t.part<0, 7>().first;
  auto const before = group.backend(1).launches();
  tensor<float, shape<7, 3>> scores;
  predict(seven, scores);
  auto const expected = one(t.images);
  for (int i = 0; i < 21; ++i) BOOST_TEST(scores[i] == expected[i]);
  auto const forward = trainer.forward(t.images);
  auto const called = model(t.images);
  for (int i = 0; i < 36; ++i) BOOST_TEST((forward[i] == expected[i] && called[i] == expected[i]));
  trainer.evaluate(t.images, t.labels, 5);
  BOOST_TEST(group.backend(1).launches() == before);
  BOOST_TEST(group.backend(2).launches() == before);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(parameters_of_16_bits, H, narrow) {
  task<12> const t;
  tensor<H, shape<12, 5>> const images{t.images};
  esp::model<Perceptron, parallel<2>> exact{esp::seed{3}};
  esp::model<Perceptron, parallel<2>, H> model{esp::seed{3}};
  auto const adam = optim::Adam{.learning_rate = 0.01};
  esp::trainer expected{exact, nn::SoftmaxLoss{}, adam, esp::batch<12, 5>{}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::scale_loss{adam, 128}, esp::batch<12, 5>{}};
  float a = 0, b = 0;
  for (int step = 0; step < 5; ++step) {
    a = trainer.step(images, t.labels);
    b = expected.step(t.images, t.labels);
    check_same_bits(model.parameters(), "parameters");
    check_same_bits(trainer.states(), "master weights and states");
  }
  BOOST_TEST(near(a, b, 0.03), a << " and " << b);
}

BOOST_AUTO_TEST_CASE(a_wrong_label_changes_nothing) {
  task<12> t;
  esp::model<Perceptron, parallel<2>> model{esp::seed{3}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<12, 5>{}};
  auto const before = on_host(model.parameters());
  t.labels[9] = 3;  // in the part of device 1
  BOOST_CHECK_THROW(trainer.step(t.images, t.labels), esp::label_error);
  BOOST_TEST(on_host(model.parameters()) == before, boost::test_tools::per_element());
  BOOST_TEST(trainer.steps() == 0);
}
// Indices of every part are checked, not only those of the first.
BOOST_AUTO_TEST_CASE(a_wrong_index_of_any_part_is_found) {
  using Words = nn::Sequential<nn::Embedding<10, 4>, nn::Flatten, nn::Linear<8, 3>>;
  tensor<std::int32_t, shape<6, 2>> words;
  tensor<std::int32_t, shape<6>> labels;
  for (int i = 0; i < 12; ++i) words[i] = i % 10;
  for (int i = 0; i < 6; ++i) labels[i] = i % 3;
  esp::model<Words, parallel<2>> model{esp::seed{3}};
  esp::model<Words, esp::simulated_cuda> one{esp::seed{3}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<6, 2>{}};
  esp::trainer expected{one, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<6, 2>{}};
  for (int step = 0; step < 3; ++step)
    BOOST_TEST(near(trainer.step(words, labels), expected.step(words, labels), 1e-5));
  words[11] = 10;
  BOOST_CHECK_THROW(trainer.step(words, labels), esp::index_error);
  BOOST_TEST(trainer.steps() == 3);
}
