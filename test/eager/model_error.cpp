// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_model_error
#include <boost/test/unit_test.hpp>
#include <espalier/eager/model_error.hpp>

#include <string>

using espalier::model_error;

BOOST_AUTO_TEST_CASE(texts_name_the_arguments) {
  model_error const twice{model_error::passed_twice{1, 3}}, wrong{model_error::wrong_updater{2, 0}};
  BOOST_TEST(std::string{twice.what()} ==
             "arguments 1 and 3 of a function are the same model, and the function changes it; pass it once, or pass a "
             "clone");
  BOOST_TEST(std::string{wrong.what()} ==
             "argument 2 of a function is the updater of another model than argument 0, which it updates; expected the "
             "model that the updater was made for");
  BOOST_TEST(std::string{model_error().what()} ==
             "updater.update(model, gradients): expected the model that the updater was made for, got another one of "
             "the same type");
}
