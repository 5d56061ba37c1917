// SPDX-License-Identifier: BSL-1.0
// Batches that are copied to a device while it computes, against those of the plain loader.
#define BOOST_TEST_MODULE device_cuda_prefetcher
#include <boost/test/unit_test.hpp>

#include <espalier/data/prefetcher.hpp>

#include <stdexcept>
#include <type_traits>

#include "support/allocation_counter.hpp"
#include "support/nets.hpp"
#include "support/test_device.hpp"

using namespace test;
namespace data = espalier::data;
using esp::shape, esp::tensor;

namespace {

/// n samples of shape (2, 2) with labels 0, 1 or 2.
struct set {
  std::vector<float> images;
  std::vector<std::int32_t> labels;
  explicit set(int n) : images(static_cast<std::size_t>(4 * n)), labels(static_cast<std::size_t>(n)) {
    for (int i = 0; i < 4 * n; ++i)
      images[static_cast<std::size_t>(i)] = 0.01f * static_cast<float>(i * i % 101) - 0.4f;
    for (int i = 0; i < n; ++i) labels[static_cast<std::size_t>(i)] = i * i % 3;
  }
  data::samples<float, shape<2, 2>> all() const {
    return {images.data(), labels.data(), static_cast<std::int64_t>(labels.size())};
  }
};
using mirror = data::transforms<data::random_crop<data::chw, 1>, data::random_flip_horizontal<data::chw>>;
using Batch = esp::batch<4, 2, 2>;

/// A loader of `of`, for itself or for a prefetcher.
template <class Policy, class B = Batch>
auto loader_of(set const& of, Policy policy, B size = {}) {
  return data::loader{of.all(), size, data::shuffled{5}, policy, mirror{.seed = 2}};
}

using Net =
    nn::Sequential<nn::Flatten, nn::Linear<4, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.2>, nn::Linear<8, 3>>;

std::vector<float> everything(esp::model<Net, device> const& model) {
  std::vector<float> all(static_cast<std::size_t>(model.parameters().size())),
      buffers(static_cast<std::size_t>(model.buffers().size()));
  model.parameters().to_host({all.data(), model.parameters().size()});
  model.buffers().to_host({buffers.data(), model.buffers().size()});
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

/// Throws for a sample whose first pixel is 9.
struct fails_at_nine {
  template <class T, class Sample>
  static void apply(esp::view<T const, Sample> from, esp::view<T, Sample> to, data::random_generator&) {
    if (from[0] == 9) throw std::runtime_error{"nine"};
    for (int i = 0; i < Sample::size; ++i) to[i] = from[i];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_batches_are_those_of_the_loader) {
  set const some{19};
  for (int ahead : {1, 2, 3, 7}) {
    auto plain = loader_of(some, data::drop_last);
    data::prefetcher batches{loader_of(some, data::drop_last), device{}, ahead};
    BOOST_TEST(batches.batches() == 4);
    BOOST_TEST(batches.tail_count() == 3);
    BOOST_TEST(batches.samples_per_epoch() == 16);
    for (std::int64_t epoch : {0, 1, 7, 1}) {
      auto expected = plain.epoch(epoch);
      auto from = expected.begin();
      int count = 0;
      for (auto const& [images, labels] : batches.epoch(epoch)) {
        BOOST_TEST((images.to_host() == (*from).images));
        BOOST_TEST((labels.to_host() == (*from).labels));
        BOOST_TEST((esp::view<float const, Batch>{images.host_copy()} == (*from).images));
        ++from;
        ++count;
      }
      BOOST_TEST(count == 4);
    }
  }
}
BOOST_AUTO_TEST_CASE(a_queued_step_copies_and_waits_for_nothing) {
  set const some{23};
  auto plain = loader_of(some, data::drop_last);
  data::prefetcher batches{loader_of(some, data::drop_last), device{}};
  esp::model<Net, device> a{esp::seed{1}}, b{esp::seed{1}};
  esp::trainer waits{a, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}},
      queues{b, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto const& [images, labels] : plain.epoch(epoch)) waits.step(images, labels);
    for (auto const& [images, labels] : batches.epoch(epoch)) queues.step(images, labels, esp::queued{});
  }
  BOOST_TEST(queues.steps() == 15);
  BOOST_TEST(everything(b) == everything(a), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_model_on_a_backend_of_its_own) {
  set const some{23};
  auto plain = loader_of(some, data::drop_last);
  data::prefetcher batches{loader_of(some, data::drop_last), device{}, 1};
  esp::on_cuda::backend_of<device> own;
  esp::model<Net, device> a{esp::seed{1}}, b{esp::seed{1}, own};
  esp::trainer waits{a, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}},
      queues{b, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  for (auto const& [images, labels] : plain.epoch(0)) waits.step(images, labels);
  for (auto const& [images, labels] : batches.epoch(0)) queues.step(images, labels, esp::queued{});
  BOOST_TEST(everything(b) == everything(a), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(images_ahead_and_labels_of_the_host) {
  set const some{12};
  data::prefetcher batches{loader_of(some, data::drop_last), device{}};
  auto plain = loader_of(some, data::drop_last);
  esp::model<Net, device> a{esp::seed{1}}, b{esp::seed{1}};
  esp::trainer first{a, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}},
      second{b, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  auto expected = plain.epoch(0);
  auto from = expected.begin();
  for (auto const& [images, labels] : batches.epoch(0)) {
    auto const& [host_images, host_labels] = *from;
    BOOST_TEST(first.step(images, host_labels) == second.step(host_images, labels));
    ++from;
  }
  BOOST_TEST(everything(b) == everything(a), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(formulas_read_a_batch) {
  set const some{8};
  data::prefetcher batches{loader_of(some, data::drop_last), device{}};
  auto plain = loader_of(some, data::drop_last);
  auto expected = plain.epoch(0);
  auto from = expected.begin();
  for (auto const& [images, labels] : batches.epoch(0)) {
    tensor<float, Batch, device> const copy{images};
    tensor<float, Batch, device> const doubled = images * 2.0f;
    tensor<float, Batch> const twice = (*from).images * 2.0f;
    tensor<float, Batch> const back{images};
    BOOST_TEST((back == (*from).images));
    BOOST_TEST((copy.to_host() == (*from).images));
    BOOST_TEST((doubled.to_host() == twice));
    ++from;
  }
}
BOOST_AUTO_TEST_CASE(a_label_outside_the_classes_changes_nothing) {
  set wrong{12};
  wrong.labels[6] = 3;  // in order, in the second batch
  data::prefetcher batches{data::loader{wrong.all(), Batch{}, data::in_order{}, data::drop_last}, device{}};
  esp::model<Net, device> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  std::vector<float> before;
  try {
    for (auto const& [images, labels] : batches.epoch(0)) {
      before = everything(model);
      trainer.step(images, labels, esp::queued{});
    }
    BOOST_ERROR("no error");
  } catch (esp::label_error const& error) {
    BOOST_TEST(error.what() == "labels: expected 0 to 2, got 3 at position 2");
  }
  BOOST_TEST(trainer.steps() == 1);
  BOOST_TEST(everything(model) == before, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_padded_batch_is_evaluated) {
  set const some{10};
  data::prefetcher batches{loader_of(some, data::padded), device{}};
  auto plain = loader_of(some, data::padded);
  esp::model<Net, device> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  std::vector<esp::evaluation> expected;
  for (auto const& [images, labels, count] : plain.epoch(0))
    expected.push_back(trainer.evaluate(images, labels, count));
  int samples = 0;
  std::size_t at = 0;
  for (auto const& [images, labels, count] : batches.epoch(0)) {
    static_assert(!esp::whole_batch<std::remove_cvref_t<decltype(images)>>::agree);
    auto const got = trainer.evaluate(images, labels, count);
    BOOST_TEST(got.loss == expected[at].loss);
    BOOST_TEST(got.correct == expected[at].correct);
    BOOST_TEST(got.count == expected[at++].count);
    samples += count;
  }
  BOOST_TEST(samples == 10);
}
BOOST_AUTO_TEST_CASE(the_second_batch) {
  set const some{11};
  data::prefetcher batches{loader_of(some, data::second_batch<3>), device{}};
  auto plain = loader_of(some, data::second_batch<3>);
  using Last = esp::batch<3, 2, 2>;
  esp::model<Net, device> a{esp::seed{1}}, b{esp::seed{1}};
  esp::trainer first{a, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}, Last{}},
      second{b, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}, Last{}};
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto const& [images, labels] : plain.epoch(epoch)) first.step(images, labels);
    auto const& [images, labels] = plain.tail();
    first.step(images, labels);
    for (auto const& [ahead, ahead_labels] : batches.epoch(epoch)) second.step(ahead, ahead_labels, esp::queued{});
    auto const [ahead, ahead_labels] = batches.tail();
    second.step(ahead, ahead_labels, esp::queued{});
  }
  BOOST_TEST(second.steps() == 9);
  BOOST_TEST(everything(b) == everything(a), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(an_epoch_may_be_left) {
  set const some{40};
  auto plain = loader_of(some, data::drop_last);
  for (int ahead : {1, 3})
    for (int left_after : {0, 1, 4}) {
      data::prefetcher batches{loader_of(some, data::drop_last), device{}, ahead};
      int seen = 0;
      for (auto const& [images, labels] : batches.epoch(0)) {
        tensor<float, Batch, device> const used = images + 1.0f;
        if (seen++ == left_after) break;
      }
      auto expected = plain.epoch(1);
      auto from = expected.begin();
      for (auto const& [images, labels] : batches.epoch(1)) {
        BOOST_TEST((images.to_host() == (*from).images));
        BOOST_TEST((labels.to_host() == (*from).labels));
        ++from;
      }
      (void)batches.epoch(2);  // begun and never read
    }
}
BOOST_AUTO_TEST_CASE(what_a_transform_throws_comes_from_the_loop) {
  set some{24};
  some.images[4 * 10] = 9;  // in the third batch
  data::prefetcher batches{
      data::loader{some.all(), Batch{}, data::in_order{}, data::drop_last, data::transforms<fails_at_nine>{.seed = 0}},
      device{}};
  for (int time = 0; time < 2; ++time) {
    int seen = 0;
    BOOST_CHECK_EXCEPTION(for ([[maybe_unused]] auto const& [images, labels]
                               : batches.epoch(0))++ seen,
                          std::runtime_error, [](auto const& error) { return std::string{error.what()} == "nine"; });
    BOOST_TEST(seen == 2);
  }
}
BOOST_AUTO_TEST_CASE(an_epoch_allocates_nothing) {
  set const some{40};
  data::prefetcher batches{loader_of(some, data::drop_last), device{}};
  auto const epoch = [&](std::int64_t k) {
    for (auto const& batch : batches.epoch(k)) (void)batch.images;
  };
  epoch(0);
  long const before = espalier_test::allocations();
  epoch(1);
  epoch(2);
  BOOST_TEST(espalier_test::allocations() == before);
}
