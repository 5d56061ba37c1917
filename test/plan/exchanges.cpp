// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE exchanges
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/plan/exchanges.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

template <class Batch, nn::norm Options = nn::norm{.sync = true}>
using training = esp::detail::synchronized_training_program<
    nn::Sequential<nn::Conv<3, 4, esp::rows_columns{3, 3}>, nn::BatchNorm2d<4, Options>, nn::ReLU, nn::GlobalAvgPool<>,
                   nn::Linear<4, 6>, nn::BatchNorm<6, 1, Options>>,
    nn::SoftmaxLoss, Batch, false>;
using first = training<esp::batch<8, 3, 6, 6>>;
using second = training<esp::batch<2, 3, 6, 6>>;

using exchanges = esp::plan::exchanges_of<first>;

}  // namespace

BOOST_AUTO_TEST_CASE(in_the_order_of_the_program) {
  static_assert(exchanges::count == 4);
  static_assert(exchanges::largest() == 12);
  std::int64_t const sizes[] = {8, 12, 12, 8};
  int const moments[] = {4, 6, 0, 0};
  std::int64_t const counts[] = {8 * 36, 8, 0, 0};
  int before = 0;
  for (int i = 0; i < 4; ++i) {
    esp::plan::value_exchange const& x = exchanges::exchanges.at[i];
    BOOST_TEST(x.size == sizes[i]);
    BOOST_TEST(x.as.moments == moments[i]);
    BOOST_TEST(x.as.count == counts[i]);
    BOOST_TEST(x.group > before);
    BOOST_TEST(exchanges::behind(x.group) == i);
    BOOST_TEST(exchanges::behind(x.group + 1) != i);
    before = x.group;
  }
}
// A group of its own: what reads the value comes later.
BOOST_AUTO_TEST_CASE(are_groups_of_their_own) {
  auto const& groups = esp::plan::plan_of<first>.groups;
  auto const& g = esp::plan::graph_of<first>.nodes;
  for (int i = 0; i < exchanges::count; ++i) {
    auto const& group = groups.groups[exchanges::exchanges.at[i].group];
    BOOST_TEST(group.first == group.last);
    for (int id = 1; id <= g.size; ++id)
      for (int operand : g[id].operand)
        if (operand != 0 && groups.holder_of[operand] == group.first && groups.group_of[id] != 0)
          BOOST_TEST(groups.group_of[id] > exchanges::exchanges.at[i].group);
  }
}
BOOST_AUTO_TEST_CASE(are_the_same_in_other_batches) {
  static_assert(esp::plan::exchange_the_same<first, second>());
  static_assert(!esp::plan::exchange_the_same<first, training<esp::batch<2, 3, 5, 6>>>());
  static_assert(!esp::plan::exchange_the_same<
                first, training<esp::batch<8, 3, 6, 6>, nn::norm{.variance = nn::unbiased, .sync = true}>>());
  static_assert(!esp::plan::exchange_the_same<first, training<esp::batch<8, 3, 6, 6>, nn::norm{}>>());
  static_assert(esp::plan::exchanges_of<training<esp::batch<8, 3, 6, 6>, nn::norm{}>>::count == 0);
}
