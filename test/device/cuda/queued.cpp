// SPDX-License-Identifier: BSL-1.0
// Steps whose loss nobody asks for, on a simulated device that counts what comes back from it.
#define BOOST_TEST_MODULE device_cuda_queued
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/device/cuda/simulator/simulated_backend.hpp>

namespace {
class counting_backend : public espalier::on_cuda::simulated_backend {
 public:
  using simulated_backend::simulated_backend;
  void to_host(void* to, void const* from, std::size_t bytes) {
    ++fetches;
    simulated_backend::to_host(to, from, bytes);
  }
  void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes == counted_bytes) ++copies;
    simulated_backend::copy(to, from, bytes);
  }
  bool capturing() const { return captured; }
  bool captured = false;
  int fetches = 0, copies = 0;
  std::size_t counted_bytes = 0;
};
}  // namespace

namespace test {
using own_backend = counting_backend;
}
#include "support/own_backend.hpp"

#include <espalier/data/prefetcher.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;
using device = esp::simulated_cuda;

namespace {
using Net =
    nn::Sequential<nn::Flatten, nn::Linear<4, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.2>, nn::Linear<8, 3>>;
using Batch = esp::batch<6, 2, 2>;

template <class Optimizer>
struct learner {
  esp::model<Net, device> model{esp::seed{1}};
  esp::trainer<esp::model<Net, device>, nn::SoftmaxLoss, Optimizer, Batch> trainer;

  explicit learner(Optimizer o) : trainer{model, nn::SoftmaxLoss{}, o, Batch{}} {}
  /// Everything that a step may change.
  std::vector<float> state() const {
    std::vector<float> parameters(static_cast<std::size_t>(model.parameters().size())),
        buffers(static_cast<std::size_t>(model.buffers().size()));
    model.parameters().to_host({parameters.data(), model.parameters().size()});
    model.buffers().to_host({buffers.data(), model.buffers().size()});
    parameters.insert(parameters.end(), buffers.begin(), buffers.end());
    return parameters;
  }
};
auto& backend_of_tests() { return esp::on_cuda::default_backend<device>(); }

auto const images = floats<6, 2, 2>(1);
auto const classes = labels<6>(2, 3);
}  // namespace

BOOST_AUTO_TEST_CASE(nothing_comes_back_from_a_queued_step) {
  learner waited{optim::Adam{}}, queued{optim::Adam{}};
  tensor<float, shape<6, 2, 2>, device> const device_images{images};
  static_assert(std::is_same_v<decltype(queued.trainer.step(images, classes, esp::queued{})), void>);
  int const before = backend_of_tests().fetches;
  for (int step = 0; step < 4; ++step) {
    queued.trainer.step(images, classes, esp::queued{});
    queued.trainer.step(device_images, classes, esp::queued{});
  }
  BOOST_TEST(backend_of_tests().fetches == before);
  for (int step = 0; step < 8; ++step) waited.trainer.step(images, classes);
  BOOST_TEST(backend_of_tests().fetches == before + 8);
  BOOST_TEST(queued.trainer.steps() == 8);
  BOOST_TEST(queued.state() == waited.state(), boost::test_tools::per_element());
  BOOST_TEST(queued.trainer.step(images, classes) == waited.trainer.step(images, classes));
}
// A step reads a batch of a prefetcher where it is, and checks its labels in the host's copy.
BOOST_AUTO_TEST_CASE(a_batch_of_a_prefetcher_is_not_copied) {
  learner queued{optim::Adam{}};
  std::vector<float> const pixels(4 * 30, 0.5f);
  std::vector<std::int32_t> const classes_of_all(30, 2);
  espalier::data::samples<float, shape<2, 2>> const all{pixels, classes_of_all};
  espalier::data::prefetcher batches{
      espalier::data::loader{all, Batch{}, espalier::data::in_order{}, espalier::data::drop_last}, device{}};
  counting_backend& backend = backend_of_tests();
  backend.counted_bytes = sizeof(float) * 24;  // of the images
  int const fetched = backend.fetches, copied = backend.copies;
  for (auto const& [ahead, labels_ahead] : batches.epoch(0)) queued.trainer.step(ahead, labels_ahead, esp::queued{});
  BOOST_TEST(queued.trainer.steps() == 5);
  BOOST_TEST(backend.fetches == fetched);
  BOOST_TEST(backend.copies == copied);
  tensor<float, shape<6, 2, 2>, device> const device_images{images};
  tensor<std::int32_t, shape<6>, device> const device_classes{classes};
  queued.trainer.step(device_images, device_classes, esp::queued{});  // another tensor: copied, and its labels fetched
  BOOST_TEST(backend.fetches == fetched + 1);
  BOOST_TEST(backend.copies == copied + 1);
  backend.counted_bytes = 0;
}
// Waits between streams have no place in a graph that the user captures.
BOOST_AUTO_TEST_CASE(no_batch_is_taken_or_left_in_a_capture) {
  std::vector<float> const pixels(4 * 18, 0.5f);
  std::vector<std::int32_t> const classes_of_all(18, 2);
  espalier::data::samples<float, shape<2, 2>> const all{pixels, classes_of_all};
  espalier::data::prefetcher batches{
      espalier::data::loader{all, Batch{}, espalier::data::in_order{}, espalier::data::drop_last}, device{}};
  counting_backend& backend = backend_of_tests();
  auto const names_the_capture = [](esp::on_cuda::cuda_error const& error) {
    return std::string{error.what()} ==
           "prefetcher: a batch was taken or left while a graph is captured on the device's stream; end the capture first";
  };
  auto epoch = batches.epoch(0);
  auto at = epoch.begin();
  backend.captured = true;
  BOOST_CHECK_EXCEPTION(++at, esp::on_cuda::cuda_error, names_the_capture);
  BOOST_CHECK_EXCEPTION((void)batches.epoch(1), esp::on_cuda::cuda_error, names_the_capture);
  backend.captured = false;
  int left = 0;
  for (; at != epoch.end(); ++at) ++left;  // nothing was changed
  BOOST_TEST(left == 3);
}
BOOST_AUTO_TEST_CASE(labels_are_checked_first) {
  learner queued{optim::Adam{}};
  queued.trainer.step(images, classes, esp::queued{});
  auto const before = queued.state();
  auto wrong = classes;
  wrong[4] = 3;
  tensor<std::int32_t, shape<6>, device> const device_wrong_labels{wrong};
  BOOST_CHECK_THROW(queued.trainer.step(images, wrong, esp::queued{}), esp::label_error);
  BOOST_CHECK_THROW(queued.trainer.step(images, device_wrong_labels, esp::queued{}), esp::label_error);
  BOOST_TEST(queued.state() == before, boost::test_tools::per_element());
  BOOST_TEST(queued.trainer.steps() == 1);
}
// Whether an update was skipped is read before the next step, whose numbers depend on it, or when somebody asks.
template <class Optimizer>
void check_skipped_step(Optimizer optimizer) {
  learner queued{optimizer}, waited{optimizer};
  auto broken = images;
  broken[5] = NAN;
  int const first = backend_of_tests().fetches;
  queued.trainer.step(images, classes, esp::queued{});
  BOOST_TEST(backend_of_tests().fetches == first);
  auto const before = queued.state();
  int fetches = backend_of_tests().fetches;
  queued.trainer.step(broken, classes, esp::queued{});
  BOOST_TEST(backend_of_tests().fetches == fetches + 1);  // whether the first step was skipped
  BOOST_TEST(queued.state() == before, boost::test_tools::per_element());
  fetches = backend_of_tests().fetches;
  BOOST_TEST(queued.trainer.skipped_updates() == 1);
  BOOST_TEST(queued.trainer.steps() == 1);
  BOOST_TEST(backend_of_tests().fetches == fetches + 1);
  // The next step is the second update, as if the broken one had not been.
  waited.trainer.step(images, classes);
  waited.trainer.step(broken, classes);
  for (int step = 0; step < 3; ++step) {
    queued.trainer.step(images, classes, esp::queued{});
    queued.trainer.step(broken, classes, esp::queued{});
    waited.trainer.step(images, classes);
    waited.trainer.step(broken, classes);
  }
  BOOST_TEST(queued.state() == waited.state(), boost::test_tools::per_element());
  queued.trainer.continue_after(7);
  BOOST_TEST(queued.trainer.steps() == 7);
  BOOST_TEST(queued.trainer.skipped_updates() == 4);
  BOOST_TEST(waited.trainer.skipped_updates() == 4);
  BOOST_TEST(waited.trainer.steps() == 4);
}
BOOST_AUTO_TEST_CASE(an_update_that_may_be_skipped_is_not_waited_for) {
  check_skipped_step(optim::skip_non_finite{optim::Adam{}});
  check_skipped_step(optim::scale_loss{optim::Adam{}});
}
// What the optimizer adds to the loss is not computed where nobody asks for the loss.
BOOST_AUTO_TEST_CASE(no_penalty_is_computed) {
  auto const chosen = optim::penalized{optim::SGD<>{.learning_rate = 0.1}, 1e-3, 1e-2, true};
  learner waited{chosen}, queued{chosen};
  auto const launches = [](auto const& work) {
    std::int64_t const before = backend_of_tests().launches();
    work();
    return backend_of_tests().launches() - before;
  };
  auto const many = launches([&] { waited.trainer.step(images, classes); });
  auto const fewer = launches([&] { queued.trainer.step(images, classes, esp::queued{}); });
  BOOST_TEST(fewer < many);
  BOOST_TEST(queued.state() == waited.state(), boost::test_tools::per_element());
}
