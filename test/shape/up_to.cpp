// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_up_to
#include <boost/test/unit_test.hpp>

#include <espalier/shape/up_to.hpp>

namespace esp = espalier;
using esp::batch, esp::shape, esp::up_to;

// It is no extent, and no number that extents are computed with.
static_assert(up_to<64> != 64 && up_to<64> < -1'000'000 && up_to<2> != up_to<3>);

using images = batch<up_to<64>, 8, 8>;
static_assert(std::is_same_v<images, shape<up_to<64>, 8, 8>> && !std::is_same_v<images, shape<64, 8, 8>>);
static_assert(!(images{} == shape<64, 8, 8>{}) && !(images{} == batch<up_to<65>, 8, 8>{}) &&
              images{} == batch<up_to<64>, 8, 8>{});
static_assert(images::rank == 3 && images::max_samples == 64);
static_assert(std::is_same_v<images::sample, shape<8, 8>> && std::is_same_v<images::of<17>, shape<17, 8, 8>>);

// It is no shape: what requires a shape does not compile with it.
static_assert(esp::is_bounded_batch<images> && !esp::is_shape<images> && !esp::is_sound_shape<images>);
static_assert(!esp::Shape<images> && esp::BoundedBatch<images>);
static_assert(!esp::is_bounded_batch<shape<64, 8, 8>> && esp::is_shape<shape<64, 8, 8>>);
template <class S>
concept has_size = requires {
  S::size;
};
template <class S>
concept has_value = requires {
  S::value;
};
static_assert(!has_size<images> && !has_value<images> && has_size<shape<64>>);
static_assert(!esp::is_bounded_batch<batch<up_to<4>, 0>>, "the samples have an invalid shape");

BOOST_AUTO_TEST_CASE(the_largest_number_is_encoded) {
  BOOST_TEST((batch<up_to<1000000>>::max_samples) == 1000000);
  BOOST_TEST((batch<up_to<2>>::max_samples) == 2);
}
