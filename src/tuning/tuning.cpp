#include "tuning/tuning.hpp"

#include <onehop/error.hpp>
#include <onehop/machine.hpp>
#include <onehop/tuning.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "base/words.hpp"

namespace onehop {
namespace {

using nlohmann::json;

/// Schemas of other versions begin like this too.
constexpr std::string_view family = "onehop.tuning/";

/// Returns the text of the file, or nothing if there is no file and none was named.
std::optional<std::string> text_of(const std::string& file, bool named) {
  // A home may not be a folder, or may belong to another user; then nothing is stored there either.
  std::error_code unseen;
  if (!named && !std::filesystem::exists(file, unseen)) return std::nullopt;
  errno = 0;
  std::ifstream stream(file);
  if (!stream) {
    const int problem = errno;
    if (problem == ENOENT) {
      throw usage_error(text("ONEHOP_TUNING: ", file, " does not exist; run onehop tune"));
    }
    throw usage_error(
        text(file, ": ", std::strerror(problem), "; name another with ONEHOP_TUNING"));
  }
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) throw usage_error(text(file, " cannot be read; name another with ONEHOP_TUNING"));
  return content.str();
}

tuning_identity identity_of(const json& from) {
  return {from.value("version", ""), from.value("host", ""), from.value("cpu_model", ""),
          from.value("isa", "")};
}

int whole(const std::string& digits) {
  if (const auto number = number_from<int>(digits); number && *number > 0) return *number;
  throw usage_error(text("right-hand sides '", digits, "'"));
}

tuned_hop hop_of(const json& from) {
  tuned_hop hop;
  for (const auto& [rhs, words] : from.at("ways").items()) {
    hop_choice::parse(words.get<std::string>());
    hop.ways[whole(rhs)] = words;
  }
  const auto together = from.find("together");
  if (together != from.end()) {
    if (!together->is_number_integer() || *together < 1 ||
        *together > std::numeric_limits<int>::max()) {
      throw usage_error(text("sources together: ", together->dump()));
    }
    hop.together = together->get<int>();
  }
  return hop;
}

tuning content_of(const json& from) {
  tuning result;
  result.found = result.holds = true;
  if (from.contains("channels") || !(from.contains("blocks") || from.contains("hops"))) {
    result.channels = from.at("channels").get<std::string>();
  }
  result.regime = from.value("regime", "None");
  const json blocks = from.value("blocks", json::object());
  for (const auto& [device, words] : blocks.items()) {
    device::block_shapes::parse(words.get<std::string>());
    result.blocks[device] = words;
  }
  const json hops = from.value("hops", json::object());
  for (const auto& [name, hop] : hops.items()) {
    result.hops[name] = hop_of(hop);
  }
  return result;
}

/// Returns a message without the part with which nlohmann/json names its own errors, on one line
/// whatever text of the file it quotes.
std::string plain(std::string_view what) {
  const std::size_t end = what.starts_with('[') ? what.find("] ") : std::string_view::npos;
  const json message = end == std::string_view::npos ? what : what.substr(end + 2);
  const std::string quoted = message.dump(-1, ' ', false, json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

/// A file that the user has named may be anything, and belongs to the user.
std::string_view instead() {
  return environment::read().tuning.empty() ? "run onehop tune, which writes it anew"
                                            : "name another file with ONEHOP_TUNING";
}

}  // namespace

std::string tuning_file() {
  const std::string named = environment::read().tuning;
  if (!named.empty()) return named;
  const auto of = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  const auto cache = of("XDG_CACHE_HOME").empty() ? of("HOME") / ".cache" : of("XDG_CACHE_HOME");
  return cache / "onehop" / "tuning.json";
}

const tuning_identity& tuning_identity::here() {
  static const tuning_identity identity = [] {
    const machine_facts facts = inspect_machine();
    return tuning_identity{ONEHOP_VERSION, facts.host, facts.cpu_model, facts.isa};
  }();
  return identity;
}

tuning tuning::read() {
  const std::string file = tuning_file();
  const auto content = text_of(file, !environment::read().tuning.empty());
  if (!content) return {};
  const auto whole_file = json::parse(*content, nullptr, false);
  if (whole_file.is_discarded()) {
    throw usage_error(text(file, " is not JSON, so not of onehop tune; ", instead()));
  }
  const json schema = whole_file.is_object() ? whole_file.value("schema", json()) : json();
  tuning of_elsewhere;
  of_elsewhere.found = true;
  if (schema != tuning::schema) {
    // Another version of onehop may use the same home.
    if (schema.is_string() && schema.get<std::string>().starts_with(family)) return of_elsewhere;
    throw usage_error(text(file, " is not ", tuning::schema, " of onehop tune; ", instead()));
  }
  try {
    const json identity = whole_file.value("identity", json::object());
    if (identity_of(identity) == tuning_identity::here()) return content_of(whole_file);
  } catch (const json::exception& problem) {
    throw usage_error(text(file, " is damaged (", plain(problem.what()),
                           "); run onehop tune, which writes it anew"));
  } catch (const usage_error& problem) {
    throw usage_error(text(file, " is damaged (", plain(problem.what()),
                           "); run onehop tune, which writes it anew"));
  }
  return of_elsewhere;
}

hop_choice tuning::way_of(const std::string& hop, int rhs) const {
  const auto found_hop = hops.find(hop);
  if (found_hop == hops.end()) return {};
  const auto way = found_hop->second.ways.find(rhs);
  return way == found_hop->second.ways.end() ? hop_choice() : hop_choice::parse(way->second);
}

device::block_shapes tuning::blocks_of(const std::string& device) const {
  const auto words = blocks.find(device);
  return words == blocks.end() ? device::block_shapes()
                               : device::block_shapes::parse(words->second);
}

}  // namespace onehop
