// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_npz
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/io/npy.hpp>
#include <espalier/io/npz.hpp>

#include <cmath>
#include <cstdlib>

#include "support/temporary.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

io::file_bytes in_memory(std::string const& text) {
  io::file_bytes bytes{static_cast<std::int64_t>(text.size())};
  std::copy(text.begin(), text.end(), bytes.data());
  return bytes;
}
/// What the reader says about a file; empty: it was read.
std::string error_of(std::string const& content) {
  try {
    (void)io::parse_npz("file.npz", in_memory(content));
  } catch (io::format_error const& error) {
    return error.what();
  }
  return {};
}
struct to_memory {
  std::string text;
  void write(void const* data, std::size_t size) { text.append(static_cast<char const*>(data), size); }
};
std::string written(std::vector<io::named_array> const& arrays, bool compress = false, bool wide = false) {
  to_memory file;
  io::detail::write_npz_to(file, "file.npz", arrays, {.compress = compress}, wide);
  return file.text;
}
float const numbers[6] = {0, 0.5f, 1, 1.5f, 2, 2.5f};
std::vector<io::named_array> two() {
  return {io::array_of("a", esp::extents{2, {2, 3}}, numbers), io::array_of("b", esp::extents{1, {4}}, numbers)};
}
/// Where the k-th header of a kind is: local 3 4, central 1 2, the directory's end 5 6; of the wide one 6 6, its
/// locator 6 7.
std::size_t header(std::string const& file, char first, char second, int k = 0) {
  std::string const signature{'P', 'K', first, second};
  std::size_t at = file.find(signature);
  while (k-- > 0) at = file.find(signature, at + 1);
  BOOST_REQUIRE(at != std::string::npos);
  return at;
}
std::string with(std::string file, std::size_t at, std::uint64_t number, int width) {
  for (int i = 0; i < width; ++i) file[at + static_cast<std::size_t>(i)] = static_cast<char>(number >> (8 * i) & 0xff);
  return file;
}
/// The same in the header before the k-th entry and in the directory's, which has it two bytes further on.
std::string with_both(std::string const& file, int k, std::size_t in_local, std::uint64_t number, int width) {
  return with(with(file, header(file, 3, 4, k) + in_local, number, width), header(file, 1, 2, k) + in_local + 2, number,
              width);
}
std::string from_hex(std::string const& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// numpy 1.24.2: savez and savez_compressed of w = arange(3, dtype='<f4') / 2 and of layer/c = asfortranarray([[1, 2],
// [3, 4]]), of '<i2'.
std::string numpy_stored() {
  return from_hex(
      "504b030414000000000000002100886c0fb68c0000008c00000005001400772e6e7079010010008c000000000000008c00000000000000934e554d5059010076007b27646573"
      "6372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028332c292c207d202020202020202020202020202020202020"
      "2020202020202020202020202020202020202020202020202020202020202020202020202020202020200a000000000000003f0000803f504b030414000000000000002100f9"
      "77a64c88000000880000000b0014006c617965722f632e6e70790100100088000000000000008800000000000000934e554d5059010076007b276465736372273a20273c6932"
      "272c2027666f727472616e5f6f72646572273a20547275652c20277368617065273a2028322c2032292c207d2020202020202020202020202020202020202020202020202020"
      "2020202020202020202020202020202020202020202020202020202020202020200a0100030002000400504b0102140314000000000000002100886c0fb68c0000008c000000"
      "050000000000000000000000800100000000772e6e7079504b0102140314000000000000002100f977a64c88000000880000000b00000000000000000000008001c30000006c"
      "617965722f632e6e7079504b050600000000020002006c000000880100000000");
}
std::string numpy_deflated() {
  return from_hex(
      "504b030414000000080000002100886c0fb64c0000008c00000005001400772e6e7079010010008c000000000000004c000000000000009bec17ea1b10c9c850c650ad9e925a"
      "9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e0608b0676068b00700504b03041400000008"
      "0000002100f977a64c4d000000880000000b0014006c617965722f632e6e70790100100088000000000000004d000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca4"
      "6ea5a06e9369a4aea3a09e965f54529498179f5f94920a120f292a4d050a17672416a402b91a463a0a469a3a0ab50ae4032e460666062606160600504b010214031400000008"
      "0000002100886c0fb64c0000008c000000050000000000000000000000800100000000772e6e7079504b0102140314000000080000002100f977a64c4d000000880000000b00"
      "000000000000000000008001830000006c617965722f632e6e7079504b050600000000020002006c0000000d0100000000");
}

using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 3>>;
template <class Trainer>
void steps(Trainer& trainer, int from, int to) {
  for (int k = from; k < to; ++k) {
    esp::tensor<float, esp::shape<16, 6>> x;
    esp::tensor<std::int32_t, esp::shape<16>> y;
    for (int i = 0; i < 96; ++i) x.data()[i] = static_cast<float>(std::sin(0.1 * i + k));
    for (int i = 0; i < 16; ++i) y.data()[i] = (i + k) % 3;
    trainer.step(x, y);
  }
}
template <class Model>
std::vector<float> bits(Model& model) {
  std::vector<float> all;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    all.insert(all.end(), elements.begin(), elements.end());
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  return all;
}
/// Whether a program of Python's with numpy goes well; empty: there is no numpy.
std::string python(std::string const& program) {
  for (std::string const interpreter : {"/usr/bin/python3", "python3"}) {
    if (std::system((interpreter + " -c 'import numpy' 2>/dev/null").c_str()) != 0) continue;
    return std::system((interpreter + " -c \"" + program + "\"").c_str()) == 0 ? "well" : "not well";
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_comes_back) {
  temporary::folder const folder;
  unsigned char data[6 * 8];
  for (int i = 0; i < 48; ++i) data[i] = static_cast<unsigned char>(i * 5);
  std::vector<io::named_array> arrays;
  for (int kind = 0; kind < io::element_kinds; ++kind)
    if (auto const of = static_cast<io::element_kind>(kind); of != io::element_kind::b16)
      arrays.push_back({"a/" + std::to_string(kind), of, {2, 3}, data, 6 * io::bytes_of(of)});
  arrays.push_back({"none", io::element_kind::f32, {0, 3}, nullptr, 0});
  arrays.push_back({"one", io::element_kind::f32, {}, data, 4});
  arrays.push_back(
      {"gr\xc3\xb6\xc3\x9f"
       "e.npy",
       io::element_kind::f32,
       {1},
       data,
       4});
  for (bool const compress : {false, true})
    for (bool const wide : {false, true}) {
      temporary::write(folder.path("file.npz"), written(arrays, compress, wide));
      if (!wide) {
        io::write_npz(folder.path("same.npz"), arrays, {.compress = compress});
        BOOST_TEST(temporary::read(folder.path("same.npz")) == temporary::read(folder.path("file.npz")));
      }
      auto const file = io::read_npz(folder.path("file.npz"));
      BOOST_TEST(file.arrays().size() == arrays.size());
      for (auto const& a : arrays) {
        auto const* const actual = file.find(a.name);
        BOOST_REQUIRE(actual != nullptr);
        BOOST_TEST((actual->kind == a.kind));
        BOOST_TEST((actual->extents == a.extents));
        BOOST_TEST(std::string(actual->data, actual->data + actual->bytes) == std::string(a.data, a.data + a.bytes));
      }
    }
}

BOOST_AUTO_TEST_CASE(reads_what_numpy_writes) {
  for (auto const& text : {numpy_stored(), numpy_deflated()}) {
    auto const file = io::parse_npz("numpy.npz", in_memory(text));
    BOOST_REQUIRE(file.arrays().size() == 2u);
    auto const *const w = file.find("w"), *const c = file.find("layer/c");
    BOOST_REQUIRE((w != nullptr && c != nullptr));
    BOOST_TEST((w->kind == io::element_kind::f32));
    BOOST_TEST((w->extents == std::vector<std::int64_t>{3}));
    BOOST_TEST(std::memcmp(w->data, numbers, 12) == 0);
    std::int16_t const rows[4] = {1, 2, 3, 4};
    BOOST_TEST((c->kind == io::element_kind::i16));
    BOOST_TEST((c->extents == std::vector<std::int64_t>{2, 2}));
    BOOST_TEST(std::memcmp(c->data, rows, 8) == 0);
  }
}

BOOST_AUTO_TEST_CASE(numpy_reads_what_is_written, *boost::unit_test::timeout(120)) {
  temporary::folder const folder;
  double const doubles[2] = {0.1, -2};
  bool const truths[3] = {true, false, true};
  std::vector<io::named_array> arrays = two();
  arrays.push_back(io::array_of("0.d", esp::extents{2, {1, 2}}, doubles));
  arrays.push_back(
      io::array_of("gr\xc3\xb6\xc3\x9f"
                   "e",
                   esp::extents{1, {3}}, truths));
  for (bool const compress : {false, true})
    for (bool const wide : {false, true})
      temporary::write(folder.path(std::string{"file"} + (compress ? "1" : "0") + (wide ? "1" : "0") + ".npz"),
                       written(arrays, compress, wide));
  io::write_npy(folder.path("file.npy"), arrays[2]);
  std::string const actual = python(
      "import sys, numpy as np\n"
      "for name in ('00', '01', '10', '11'):\n"
      "    z = np.load('" +
      folder.at().string() +
      "/file' + name + '.npz')\n"
      "    assert sorted(z) == ['0.d', 'a', 'b', 'gr\\u00f6\\u00dfe'], list(z)\n"
      "    assert z['a'].dtype == np.float32 and z['a'].tolist() == [[0, .5, 1], [1.5, 2, 2.5]]\n"
      "    assert z['0.d'].tolist() == [[.1, -2]] and z['0.d'].dtype == np.float64 and z['b'].shape == (4,)\n"
      "    assert z['gr\\u00f6\\u00dfe'].tolist() == [True, False, True]\n"
      "assert np.load('" +
      folder.at().string() + "/file.npy').tolist() == [[.1, -2]]\n");
  if (actual.empty()) BOOST_TEST_MESSAGE("there is no numpy");
  else BOOST_TEST(actual == "well");
}

BOOST_AUTO_TEST_CASE(models_and_training_come_back) {
  temporary::folder const folder;
  auto const adam = optim::Adam{.learning_rate = 1e-2f};
  for (bool const compress : {false, true}) {
    esp::model<Net> straight{esp::seed{5}}, first{esp::seed{5}}, second{esp::seed{77}}, third{esp::seed{3}};
    esp::trainer all{straight, nn::SoftmaxLoss{}, adam, esp::batch<16, 6>{}},
        half{first, nn::SoftmaxLoss{}, adam, esp::batch<16, 6>{}};
    esp::trainer rest{second, nn::SoftmaxLoss{}, adam, esp::batch<16, 6>{}};
    steps(all, 0, 6);
    steps(half, 0, 3);
    io::save_npz(folder.path("half.npz"), first, half, {.compress = compress});
    io::save_npz(folder.path("model.npz"), first, {.compress = compress});
    io::load_npz(folder.path("half.npz"), second, rest);
    BOOST_TEST(rest.steps() == 3);
    steps(rest, 3, 6);
    BOOST_TEST((bits(second) == bits(straight)));
    io::load_npz(folder.path("model.npz"), third);
    BOOST_TEST((bits(third) == bits(first)));
    // What does not fit changes nothing.
    auto const before = bits(second);
    BOOST_CHECK_THROW(io::load_npz(folder.path("half.npz"), second), io::mismatch_error);
    BOOST_CHECK_THROW(io::load_npz(folder.path("model.npz"), second, rest), io::mismatch_error);
    BOOST_TEST((bits(second) == before));
    io::load_npz(folder.path("half.npz"), second, io::load_options{}.ignore("training/*"));
    BOOST_TEST((bits(second) == bits(first)));
  }
}

BOOST_AUTO_TEST_CASE(the_state_of_another_optimizer_is_refused) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{5}};
  esp::trainer root{model, nn::SoftmaxLoss{}, optim::RMSProp{}, esp::batch<16, 6>{}};
  esp::trainer ball{model, nn::SoftmaxLoss{}, optim::SGD{.momentum = optim::heavy_ball{.9}}, esp::batch<16, 6>{}};
  io::save_npz(folder.path("root.npz"), model, root);
  auto const metadata = io::read_npz(folder.path("root.npz")).metadata();
  BOOST_TEST_REQUIRE(metadata.size() == 2u);
  BOOST_TEST((metadata[0].name == "format" && metadata[0].text == "espalier"));
  BOOST_TEST((metadata[1].name == "optimizer" && metadata[1].text == "RMSProp"));
  BOOST_CHECK_THROW(io::load_npz(folder.path("root.npz"), model, ball), io::mismatch_error);
  io::load_npz(folder.path("root.npz"), model, root);
}

// Which bytes are truth values is C++'s affair, not the file's.
BOOST_AUTO_TEST_CASE(any_byte_but_zero_is_true) {
  unsigned char const bytes[5] = {0, 1, 2, 0x80, 0xff};
  auto const file = io::parse_npz("file.npz", in_memory(written({{"b", io::element_kind::boolean, {5}, bytes, 5}})));
  bool truths[5] = {true, false, false, false, false};
  io::fill(file, {io::array_of("b", esp::extents{1, {5}}, truths)});
  unsigned char actual[5];
  std::memcpy(actual, truths, 5);
  BOOST_TEST(std::string(actual, actual + 5) == std::string("\0\1\1\1\1", 5));
}

BOOST_AUTO_TEST_CASE(rejects_every_truncation) {
  for (std::string const& whole : {written(two()), written(two(), true), written(two(), false, true), numpy_stored()}) {
    BOOST_TEST(error_of(whole) == "");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      std::string const error_text = error_of(whole.substr(0, length));
      BOOST_TEST(error_text == std::string{"file.npz: expected a zip file, got "} +
                                   (length < 4 ? "something else" : "one without a directory at its end: truncated"));
    }
    // Neither can bytes be missing at the start, nor anywhere else.
    for (std::size_t at = 0; at < whole.size(); ++at)
      BOOST_TEST(error_of(whole.substr(0, at) + whole.substr(at + 1)) != "", "without byte " << at);
    BOOST_TEST(error_of(whole + "x") != "");
    BOOST_TEST(error_of("x" + whole) != "");
  }
}

// A changed byte is found by a checksum, or by the two headers that say the same; what both of them leave alone is the
// date, versions, attributes.
BOOST_AUTO_TEST_CASE(changed_bytes_change_nothing_or_are_rejected) {
  auto const arrays = two();
  for (bool const compress : {false, true}) {
    std::string const whole = written(arrays, compress);
    int taken = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (int const bit : {0, 3, 7}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
        try {
          auto const file = io::parse_npz("file.npz", in_memory(changed));
          ++taken;
          BOOST_REQUIRE(file.arrays().size() == 2u);
          for (std::size_t i = 0; i < 2; ++i) {
            BOOST_TEST(file.arrays()[i].name == arrays[i].name);
            BOOST_TEST(std::memcmp(file.arrays()[i].data, arrays[i].data, static_cast<std::size_t>(arrays[i].bytes)) ==
                       0);
          }
        } catch (io::format_error const&) {}
      }
    BOOST_TEST(taken < 200);
  }
}

BOOST_AUTO_TEST_CASE(rejects_other_files) {
  std::string const whole = written(two());
  BOOST_TEST(error_of("") == "file.npz: expected a zip file, got something else");
  BOOST_TEST(error_of("\x93NUMPY" + std::string(100, 'x')) == "file.npz: expected a zip file, got something else");
  std::string renamed = whole;
  for (std::size_t at; (at = renamed.find("b.npy")) != std::string::npos;) renamed.replace(at, 5, "b.txt");
  BOOST_TEST(error_of(renamed) ==
             "file.npz: entry \"b.txt\": expected a name that ends with .npy, got another: no npz file");
  for (std::size_t at; (at = renamed.find("b.txt")) != std::string::npos;) renamed.replace(at, 5, "a.npy");
  BOOST_TEST(error_of(renamed) == "file.npz: expected each array once, got \"a\" twice");
  for (std::size_t at = 0; (at = renamed.find("a.npy", at)) != std::string::npos; ++at) renamed[at] = '\xe4';
  BOOST_TEST(error_of(renamed) == "file.npz: entry \"\xe4.npy\": expected a name in UTF-8, got another");
}

BOOST_AUTO_TEST_CASE(rejects_false_entries) {
  std::string const whole = written(two()), packed = written(two(), true);
  auto const local = [&](int k) { return header(whole, 3, 4, k); };
  auto const central = [&](int k) { return header(whole, 1, 2, k); };
  std::string const a = "file.npz: entry \"a.npy\": ", b = "file.npz: entry \"b.npy\": ";
  std::string const disagree =
      "expected its header to match the zip directory, got another name, size, method or checksum";
  BOOST_TEST(error_of(with_both(whole, 0, 6, 1, 2)) ==
             a + "expected an entry without a password, got an encrypted one");
  BOOST_TEST(error_of(with_both(whole, 0, 8, 12, 2)) == a + "expected a stored or deflated entry, got method 12");
  for (std::size_t const field : {6u, 8u, 14u, 18u, 22u})
    BOOST_TEST(error_of(with(whole, local(0) + field, 1, 2)) == a + disagree, field);
  BOOST_TEST(error_of(with(whole, local(1) + 30, 'a', 1)) == b + disagree);
  BOOST_TEST(error_of(with_both(whole, 0, 14, 0x12345678, 4)).find(a + "expected the checksum 12345678, got ") == 0u);
  BOOST_TEST(error_of(with(whole, whole.find("NUMPY") + 122, 0x55, 1)).find(a + "expected the checksum ") == 0u);
  BOOST_TEST(error_of(with_both(with_both(whole, 1, 18, 100000, 4), 1, 22, 100000, 4)) ==
             b + "expected 100000 bytes, got 144 before the zip directory: truncated");
  BOOST_TEST(error_of(with_both(whole, 0, 22, 5, 4)) == a + "expected 152 stored bytes, got a size of 5");
  BOOST_TEST(error_of(with(whole, central(1) + 42, 0, 4)) == b + disagree);
  BOOST_TEST(error_of(with(whole, central(1) + 42, 7, 4)) == b + "expected the entry at byte 7, got something else");
  BOOST_TEST(error_of(with(whole, central(1) + 42, 0xfffffff0, 4)) ==
             b + "expected the entry at byte 4294967280, got something else");
  BOOST_TEST(error_of(with(whole, local(1) + 28, 0xffff, 2)).find(b + "expected the entry's header before byte ") ==
             0u);
  BOOST_TEST(error_of(with(whole, central(1) + 34, 3, 2)) ==
             b + "expected a zip file of one part, got an entry in part 3");
  BOOST_TEST(error_of(with(whole, central(1), 0, 1)) == "file.npz: expected an entry of the zip directory at byte " +
                                                            std::to_string(central(1)) + ", got something else");
  BOOST_TEST(error_of(with(whole, central(1) + 32, 9, 2))
                 .find("file.npz: expected an entry of the zip directory up to byte ") == 0u);

  // Deflated bytes that are not as many as the directory says, or none.
  std::size_t const size = 152, deflated = packed.find("PK\3\4", 1) - 35;
  auto const error_with = [&](std::uint64_t bytes) { return error_of(with_both(packed, 0, 22, bytes, 4)); };
  std::string const expected = a + "expected " + std::to_string(deflated) + " deflated bytes that unpack to ";
  BOOST_TEST(error_with(size) == "");
  BOOST_TEST(error_with(size - 1) == expected + "151, got bytes that unpack to more");
  BOOST_TEST(error_with(size + 1) == expected + "153, got bytes that unpack to fewer");
  BOOST_TEST(error_with(0) == expected + "0, got bytes that unpack to more");
  BOOST_TEST(error_with(1032 * deflated) ==
             expected + std::to_string(1032 * deflated) + ", got bytes that unpack to fewer");
  BOOST_TEST(error_with(1032 * deflated + 1) ==
             a + "expected at most " + std::to_string(1032 * deflated) + " bytes from " + std::to_string(deflated) +
                 " deflated ones, got a size of " + std::to_string(1032 * deflated + 1));
  BOOST_TEST(error_of(with_both(packed, 0, 18, deflated - 9, 4)) ==
             a + "expected " + std::to_string(deflated - 9) +
                 " deflated bytes that unpack to 152, got truncated bytes");
  BOOST_TEST(error_of(with_both(packed, 1, 18, 10, 4)).find("deflated bytes that unpack to 144, got truncated bytes") !=
             std::string::npos);
  BOOST_TEST(error_of(with(packed, 35, 0xff, 1)) == expected + "152, got bytes that are not deflated");
  std::string const longer = packed.substr(0, 35 + deflated) + "x" + packed.substr(35 + deflated);
  std::string moved = with_both(longer, 0, 18, deflated + 1, 4);
  moved = with(with(moved, header(moved, 1, 2, 1) + 42, header(moved, 3, 4, 1), 4), header(moved, 5, 6) + 16,
               header(moved, 1, 2), 4);
  BOOST_TEST(error_of(moved) == a + "expected " + std::to_string(deflated + 1) +
                                    " deflated bytes that unpack to 152, got more bytes after their end");
}

BOOST_AUTO_TEST_CASE(rejects_overlapping_entries) {
  // Two entries of the directory for the same bytes: the way to make a file that unpacks to any size.
  std::string whole = written({io::array_of("a", esp::extents{1, {4}}, numbers)});
  std::string const entry = whole.substr(header(whole, 1, 2), header(whole, 5, 6) - header(whole, 1, 2));
  whole.insert(header(whole, 5, 6), entry);
  std::size_t const end = header(whole, 5, 6);
  whole = with(with(with(whole, end + 8, 2, 2), end + 10, 2, 2), end + 12, 2 * entry.size(), 4);
  BOOST_TEST(error_of(whole) ==
             "file.npz: expected entries behind each other, got \"a.npy\" and \"a.npy\", which overlap");
  // An entry inside the bytes of another.
  std::string const inner = written({io::array_of("b", esp::extents{1, {4}}, numbers)}).substr(0, 35 + 144);
  std::uint8_t padded[400] = {};
  std::copy(inner.begin(), inner.end(), padded);
  std::string outer =
      written({io::array_of("a", esp::extents{1, {400}}, padded), io::array_of("b", esp::extents{1, {4}}, numbers)});
  outer = with(outer, header(outer, 1, 2, 1) + 42, outer.find(inner), 4);
  BOOST_TEST(error_of(outer) ==
             "file.npz: expected entries behind each other, got \"a.npy\" and \"b.npy\", which overlap");
}

BOOST_AUTO_TEST_CASE(rejects_false_directories) {
  std::string const whole = written(two());
  std::size_t const end = header(whole, 5, 6), begin = header(whole, 1, 2);
  auto const place = [&](std::uint64_t bytes, std::uint64_t from) {
    return "file.npz: expected the zip directory to end at byte " + std::to_string(end) + ", got " +
           std::to_string(bytes) + " bytes from " + std::to_string(from) + " on";
  };
  BOOST_TEST(error_of(with(whole, end + 12, 5, 4)) == place(5, begin));
  BOOST_TEST(error_of(with(whole, end + 16, begin + 1, 4)) == place(end - begin, begin + 1));
  BOOST_TEST(error_of(with(whole, end + 16, 0xfffffffe, 4)) == place(end - begin, 0xfffffffe));
  BOOST_TEST(error_of(with(with(whole, end + 8, 3, 2), end + 10, 3, 2)) ==
             "file.npz: expected 3 entries in the zip directory, got 2");
  BOOST_TEST(error_of(with(whole, end + 8, 1, 2)) == "file.npz: expected a zip file of one part, got several");
  BOOST_TEST(error_of(with(whole, end + 4, 1, 2)) == "file.npz: expected a zip file of one part, got several");
  // A comment behind the directory is no part of it, but as long as it says.
  BOOST_TEST(error_of(with(whole, end + 20, 5, 2) + "hello") == "");
  BOOST_TEST(error_of(with(whole, end + 20, 5, 2) + "hell") ==
             "file.npz: expected a zip file, got one without a directory at its end: truncated");

  std::string const wide = written(two(), false, true);
  std::size_t const record = header(wide, 6, 6), locator = header(wide, 6, 7);
  BOOST_TEST(error_of(wide) == "");
  BOOST_TEST(error_of(with(wide, locator + 8, record + 1, 8)) ==
             "file.npz: expected a zip64 record of the directory, got something else at byte " +
                 std::to_string(record + 1));
  BOOST_TEST(error_of(with(wide, locator + 8, ~std::uint64_t{0}, 8)) ==
             "file.npz: expected a zip64 record of the directory, got something else at byte 18446744073709551615");
  BOOST_TEST(error_of(with(wide, record + 4, 45, 8)) ==
             "file.npz: expected a zip64 record of the directory, got something else at byte " +
                 std::to_string(record));
  BOOST_TEST(error_of(with(wide, record + 16, 1, 4)) == "file.npz: expected a zip file of one part, got several");
  BOOST_TEST(error_of(with(wide, record + 48, ~std::uint64_t{0}, 8)).find("bytes from 18446744073709551615 on") !=
             std::string::npos);
  BOOST_TEST(error_of(with(with(wide, record + 24, 1, 8), record + 32, 1, 8)) ==
             "file.npz: expected 1 entries in the zip directory, got 2");
  BOOST_TEST(error_of(with(wide, header(wide, 1, 2) + 46 + 5 + 4 + 16, std::uint64_t{1} << 63, 8)) ==
             "file.npz: entry \"a.npy\": expected the entry at byte 9223372036854775808, got something else");
  BOOST_TEST(error_of(with(wide, locator, 0, 1)).find("file.npz: expected the zip directory to end at byte ") == 0u);
}

BOOST_AUTO_TEST_CASE(names_that_an_npz_file_cannot_have) {
  temporary::folder const folder;
  auto const error_text = [&](std::vector<std::string> const& names) -> std::string {
    std::vector<io::named_array> arrays;
    for (auto const& name : names) arrays.push_back(io::array_of(name, esp::extents{1, {4}}, numbers));
    try {
      io::write_npz(folder.path("x.npz"), arrays);
    } catch (io::name_error const& error) {
      return std::string{error.what()}.substr(std::string{folder.path("x.npz")}.size());
    }
    return "written";
  };
  std::string const expected = ": expected names in UTF-8 of at most 65531 bytes, got ";
  BOOST_TEST(error_text({"a", "b", "a"}) == ": expected each name once, got \"a\" twice");
  for (char const* name : {"\xff", "\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "x\x80"})
    BOOST_TEST(error_text({name}) == expected + "\"" + name + "\"");
  BOOST_TEST(error_text({std::string("a\0b", 3)}) == expected + "\"a?b\"");
  BOOST_TEST(error_text({std::string(65532, 'x')}).find(expected) == 0u);
  BOOST_TEST(folder.entries() == 0u);
  BOOST_TEST(error_text({std::string(65531, 'x'), "\xc3\xa4", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80",
                         "\xf4\x8f\xbf\xbf", "", "a.npy", "b/c"}) == "written");
  BOOST_TEST(io::read_npz(folder.path("x.npz")).find(std::string(65531, 'x')) != nullptr);
  BOOST_TEST(io::read_npz(folder.path("x.npz")).find("a.npy") != nullptr);
}

BOOST_AUTO_TEST_CASE(bfloat16_has_no_npy_type) {
  temporary::folder const folder;
  esp::bfloat16 const x[2] = {};
  temporary::write(folder.path("x.npz"), "old");
  try {
    io::write_npz(folder.path("x.npz"), {io::array_of("x", esp::extents{1, {2}}, x)});
    BOOST_FAIL("it was written");
  } catch (io::write_error const& error) {
    BOOST_TEST(
        error.what() ==
        std::string{folder.path("x.npz")} +
            ": expected elements that npy has a type for, got bfloat16 \"x\": convert them to float, or save them as safetensors");
  }
  BOOST_TEST(temporary::read(folder.path("x.npz")) == "old");
  BOOST_TEST(folder.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(zeros_are_as_small_as_deflated_bytes_can_be) {
  std::vector<double> const zeros(1 << 20);
  std::string const file = written({io::array_of("zeros", esp::extents{2, {1024, 1024}}, zeros.data())}, true);
  BOOST_TEST(file.size() < 9000u);
  auto const back = io::parse_npz("file.npz", in_memory(file));
  BOOST_TEST(back.arrays()[0].bytes == 8 << 20);
  BOOST_TEST(std::memcmp(back.arrays()[0].data, zeros.data(), zeros.size() * 8) == 0);
}
