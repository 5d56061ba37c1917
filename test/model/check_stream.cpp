// SPDX-License-Identifier: BSL-1.0
// The layouts of streams are proved, and each number of one that is changed, so that a call would not find what the one
// before it left, is found.
#define BOOST_TEST_MODULE model_check_stream
#include <espalier/model/check_stream.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using namespace espalier::detail;

namespace {

/// A layout that can be changed.
struct copied_layout {
  std::vector<placed_history> places;
  std::unique_ptr<esp::operation::stream_facts> facts;
  std::unique_ptr<stream_layout> layout;
  int own;

  template <class Net, class Block, int Axis, int Context>
  static copied_layout of() {
    constexpr auto const& places = placed_histories_of<Net, Block, Axis, Context>;
    copied_layout r;
    r.facts = std::make_unique<esp::operation::stream_facts>(streamed_net<Net, Block, Axis, Context>.facts);
    r.places.assign(places.at, places.at + r.facts->history_count);
    r.layout = std::make_unique<stream_layout>(layout_of_stream<Net, Block, Axis, Context>);
    r.own = esp::slots_of<Net>.buffers.count;
    return r;
  }
  stream_error find() const { return stream_checker{places.data(), *facts, *layout, own}.find(); }
};

/// Two convolutions, one of two signals: rows that slide, and rows between those of others.
using Convolutions =
    nn::Sequential<nn::Conv1d<8, 8, 5, nn::conv{.padding = {0, 4, 0, 0}, .layout = esp::nhwc}>, nn::Tanh,
                   nn::Conv1d<8, 8, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>>;
using Recurrent = nn::Outputs<nn::LSTM<8, 6>>;
using Attention = nn::RotaryAttention<8, 2>;

template <class Net, int Signals, int Context>
copied_layout layout_of() {
  static_assert(prove_stream<Net, esp::batch<Signals, 4, 8>, 1, Context>());
  return copied_layout::of<Net, esp::batch<Signals, 4, 8>, 1, Context>();
}
std::vector<copied_layout> layouts() {
  std::vector<copied_layout> r;
  r.push_back(layout_of<Convolutions, 1, 0>());
  r.push_back(layout_of<Convolutions, 2, 0>());
  r.push_back(layout_of<Recurrent, 2, 0>());
  r.push_back(layout_of<Attention, 1, 8>());
  return r;
}

}  // namespace

BOOST_AUTO_TEST_CASE(layouts_of_every_kind_are_right) {
  bool slides = false, buffers = false, rings = false;
  for (copied_layout const& l : layouts()) {
    BOOST_TEST(static_cast<int>(l.find()) == 0);
    BOOST_TEST(!l.places.empty());
    for (placed_history const& h : l.places) {
      slides |= h.slides != 0;
      rings |= h.ring != 0;
      buffers |= h.slides == 0 && h.ring == 0;
    }
  }
  BOOST_TEST((slides && buffers && rings));
}

BOOST_AUTO_TEST_CASE(a_changed_layout_is_wrong) {
  for (copied_layout& l : layouts())
    for (std::size_t i = 0; i < l.places.size(); ++i) {
      placed_history const right = l.places[i];
      auto const check = [&](char const* what, placed_history const& changed) {
        l.places[i] = changed;
        BOOST_CHECK_MESSAGE(l.find() != stream_error::none, what << " of history " << i << " is not found");
        l.places[i] = right;
      };
      auto const with = [&](auto member, auto by) {
        placed_history h = right;
        h.*member += by;
        return h;
      };
      for (std::int64_t by : {-8, 8, 64}) check("another place", with(&placed_history::first, by));
      check("more memory than there is", with(&placed_history::stored, std::int64_t{1} << 40));
      check("less memory", with(&placed_history::stored, -right.stored));
      check("more rows", with(&placed_history::run, right.stored));
      check("fewer elements", with(&placed_history::run, -1));
      check("a larger block", with(&placed_history::block_run, right.stored));
      if (right.slides != 0) {
        check("more moves", with(&placed_history::moves, 1000));
        check("no moves", with(&placed_history::moves, -right.moves));
        check("another vector", with(&placed_history::slides, 1));
      }
      if (right.ring != 0) check("another ring", with(&placed_history::ring, 1));
    }
}

BOOST_AUTO_TEST_CASE(two_histories_at_one_place_are_wrong) {
  copied_layout l = layout_of<Convolutions, 1, 0>();
  BOOST_REQUIRE(l.places.size() > 1);
  // The program has the place of the first one, too, so that only the overlap is wrong.
  l.places[1].first = l.places[0].first;
  BOOST_TEST(static_cast<int>(l.find()) == static_cast<int>(stream_error::overlap));
}
BOOST_AUTO_TEST_CASE(a_program_with_another_address_is_wrong) {
  copied_layout l = layout_of<Recurrent, 2, 0>();
  l.layout->buffers[l.own].offset += 8;
  BOOST_TEST(static_cast<int>(l.find()) == static_cast<int>(stream_error::other_place));
}
