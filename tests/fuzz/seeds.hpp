#pragma once
/// The seeds are small valid files of every format.

#include "unit/io_samples.hpp"

namespace fuzz {

inline std::vector<std::string> seeds() {
  std::vector<std::string> files;
  for (auto& sample : samples::every_kind({2, 2, 2, 2})) files.push_back(std::move(sample.bytes));
  const auto links = samples::random_configuration({2, 4, 2, 2}, 3);
  const auto format = samples::ildg_format(links.extents, 64);
  const auto data = samples::ildg_data(links, 64);
  const auto sum = samples::scidac_checksum(data.content, 576);
  const samples::lime_part lfn{"ildg-data-lfn", "lfn://nowhere/one"};
  const samples::lime_part other{"scidac-binary-data", "eleven byte"};
  files.push_back(samples::lime_file({sum, data, lfn, format}));
  files.push_back(samples::lime_file({other, sum, format, data, sum, lfn}));
  files.push_back(samples::lime_file({format, data}));
  files.push_back(samples::nersc_file(links, {"IEEE32", 2, false}));
  files.push_back(samples::openqcd_file(links));
  files.push_back(samples::propagator_file({2, 2, 2, 2}, 32));
  files.push_back(samples::staggered_file({2, 2, 2, 2}, 32));
  files.push_back(samples::eigenvector_file({2, 2, 2, 2}, 64, 2));
  return files;
}

}  // namespace fuzz
