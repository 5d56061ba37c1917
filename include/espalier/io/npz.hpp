// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "atomic_file.hpp"
#include "checkpoint.hpp"
#include "save_together.hpp"
#include "npy_header.hpp"
#include "zip.hpp"

ESPALIER_HEADER_INCLUDED(npz);

namespace espalier::io {

/// Options of writing npz files.
/// compress  deflate the arrays: files of trained weights become about a tenth smaller; writing and reading become many
///           times slower
struct npz_options {
  bool compress = false;
};

namespace detail {
/// Marks an npz file of a model: the first line of a zip comment, which is the only metadata that the format has. Other
/// lines are further metadata, name=text.
inline constexpr std::string_view format_comment = "format=espalier";
inline std::string comment_of(std::vector<metadata_entry> const& metadata) {
  std::string all;
  for (auto const& m : metadata) all.append(all.empty() ? "" : "\n").append(m.name).append("=").append(m.text);
  return all;
}
inline std::vector<metadata_entry> metadata_in(std::string_view comment) {
  std::vector<metadata_entry> all;
  if (comment.substr(0, comment.find('\n')) != format_comment) return all;
  while (!comment.empty()) {
    std::string_view const line = comment.substr(0, comment.find('\n'));
    std::size_t const at = line.find('=');
    if (at != std::string_view::npos)
      all.push_back({std::string{line.substr(0, at)}, std::string{line.substr(at + 1)}});
    comment.remove_prefix(line.size() < comment.size() ? line.size() + 1 : line.size());
  }
  return all;
}
}  // namespace detail

/// parse_npz(path, bytes): reads the arrays of an npz file in memory: a zip file of npy files, each named like its
/// array with ".npy" appended. path is only used in errors.
/// range   stored or deflated entries, with sizes of 32 or 64 bits, and the content that parse_npy accepts
/// memory  the file's; if an entry is deflated, additionally that of all arrays, at most 1,032 times the file's
/// errors  format_error, with the names of file and entry, the expected and the actual content: no zip file; a file
///         that is truncated, encrypted, in several parts or packed by another method; headers that disagree; entries
///         that overlap, have the same name or do not end with ".npy"; wrong sizes; a wrong checksum; and the errors of
///         parse_npy
/// source  https://numpy.org/doc/stable/reference/generated/numpy.savez.html
inline archive parse_npz(char const* path, file_bytes bytes) {
  detail::file_name const file{path};
  detail::zip_directory directory{file.text, bytes.data(), bytes.size()};
  std::vector<detail::zip_entry> const entries = directory.read();
  std::vector<metadata_entry> metadata = detail::metadata_in(directory.comment());
  if (metadata.empty() && directory.is_of_version_0_6()) metadata.push_back({"format", "espalier"});
  // Stored arrays stay in the file's bytes; if one of them is deflated, all are copied to new memory.
  auto const room = [](detail::zip_entry const& e) { return (e.size + 63) / 64 * 64; };
  std::int64_t total = 0;
  bool deflated = false;
  for (auto const& e : entries) {
    total += room(e);
    deflated = deflated || e.deflated;
  }
  file_bytes unpacked{deflated ? total : 0};
  std::vector<named_array> arrays;
  std::int64_t at = 0;
  for (auto const& e : entries) {
    std::string const location = detail::zip_entry_text(file.text, e.name);
    std::string_view const name = e.name, ending = ".npy";
    if (name.size() < ending.size() || name.substr(name.size() - ending.size()) != ending)
      throw_error<format_error>("%s: expected a name that ends with .npy, got another: no npz file", location.c_str());
    unsigned char *const from = bytes.data() + e.data, *const to = deflated ? unpacked.data() + at : from;
    if (e.deflated) detail::inflate_bytes(location.c_str(), from, e.packed, to, e.size);
    else if (deflated && e.size > 0) std::memcpy(to, from, static_cast<std::size_t>(e.size));
    if (std::uint32_t const crc = detail::crc_of(to, e.size); crc != e.crc)
      throw_error<format_error>("%s: expected the checksum %08x, got %08x", location.c_str(), e.crc, crc);
    arrays.push_back(detail::npy_array(location, std::string{name.substr(0, name.size() - ending.size())}, to, e.size));
    at += room(e);
  }
  archive all{path, std::move(arrays), std::move(metadata), std::move(deflated ? unpacked : bytes)};
  if (named_array const* const twice = all.twice())
    throw_error<format_error>("%s: expected each array once, got %s twice", file.text, in_quotes(twice->name).c_str());
  return all;
}

/// read_npz(path): reads an npz file, as numpy.savez and numpy.savez_compressed write it.
/// errors  as parse_npz; no such file, a folder
inline archive read_npz(file_path path) { return parse_npz(path, read_bytes(path)); }

namespace detail {

/// Writes the entries of an npz file and its directory to an object with write(bytes, size).
/// wide     use 64-bit sizes even if none is required
/// data_of  data_of(array): its data, requested once and in the order of the arrays
template <class File, class DataOf = data_in_memory>
void write_npz_to(File& file, char const* path, std::vector<named_array> const& arrays, npz_options const& options,
                  bool wide, std::string_view comment = {}, DataOf&& data_of = {}) {
  check_names(path, arrays, std::string_view{"\0", 1});
  // An upper bound of the file's size.
  std::int64_t most = 1024;
  for (auto const& a : arrays) {
    if (a.name.size() > 0xffff - 4 || a.name.find('\0') != std::string::npos || !is_utf8(a.name))
      throw_error<name_error>("%s: expected names in UTF-8 of at most %d bytes, got %s", path, 0xffff - 4,
                              in_quotes(a.name).c_str());
    most += a.bytes + a.bytes / 256 + 2 * static_cast<std::int64_t>(a.name.size()) + 1024;
  }
  zip_writer<File> zip{file, wide || most >= 0xffffffff || arrays.size() >= 0xffff};
  for (auto const& a : arrays) {
    std::string const head = npy_header_of(path, a);
    unsigned char const* const data = data_of(a);
    deflated_bytes packed;
    if (options.compress)
      packed = deflate_bytes(reinterpret_cast<unsigned char const*>(head.data()),
                             static_cast<std::int64_t>(head.size()), data, a.bytes);
    zip.add(a.name + ".npy", head, data, a.bytes, options.compress ? &packed : nullptr);
  }
  zip.finish(comment);
}
/// Writes a model's arrays; a comment marks the file.
template <class DataOf = data_in_memory>
void write_model_npz(char const* path, std::vector<named_array> const& arrays, npz_options const& options,
                     std::vector<metadata_entry> const& metadata, DataOf&& data_of = {}) {
  atomic_file file{path};
  write_npz_to(file, file.name(), arrays, options, false, comment_of(metadata), data_of);
  file.commit();
}

}  // namespace detail

/// write_npz(path, arrays, options): writes an npz file, which numpy.load reads. It stores no metadata except the
/// names. An existing file is replaced as a whole or unchanged (atomic_file).
/// memory  with options.compress, that of the largest array once more
/// errors  write_error, also for elements that npy has no type for (bfloat16); name_error: a name that occurs twice or
///         is not UTF-8
inline void write_npz(file_path path, std::vector<named_array> const& arrays, npz_options const& options = {}) {
  atomic_file file{path};
  detail::write_npz_to(file, file.name(), arrays, options, false);
  file.commit();
}

/// save_npz(path, model[, options]) and save_npz(path, model, trainer[, options]): as save_safetensors, in the format
/// of numpy.
/// training  a trainer or an optim::updater
/// errors    as save_safetensors, also for models of bfloat16; an existing file is unchanged
template <class Model>
void save_npz(file_path path, Model& model, npz_options const& options = {}) {
  detail::write_model_npz(path, snapshot{model}.arrays(), options, detail::metadata_of<>());
}
template <class Model, Training TrainedBy>
void save_npz(file_path path, Model& model, TrainedBy& training, npz_options const& options = {}) {
  snapshot const all{model, training};
  auto const write = [&](auto&& data_of) {
    detail::write_model_npz(path, all.arrays(), options, detail::metadata_of<TrainedBy>(), data_of);
  };
  if constexpr (ShardedTraining<TrainedBy>) detail::save_together(all.arrays(), training, write);
  else write(detail::data_in_memory{});
}

/// load_npz(path, model[, trainer][, load_options]): loads a file into a model and its trainer. If they disagree in
/// anything, nothing is loaded.
/// layout  espalier's, if the file's metadata states it; for other files load_options state it (from_pytorch, which
///         converts)
/// errors  format_error; mismatch_error, which lists every disagreement. The model is unchanged then.
template <class Model, class... Rest>
void load_npz(file_path path, Model& model, Rest&&... rest) {
  restore(read_npz(path), model, static_cast<Rest&&>(rest)...);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
