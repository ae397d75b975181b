#include "transport/virtual/call_site.hpp"

#include "base/text.hpp"
#include "rma/rounds.hpp"

namespace onehop::virtual_machine {
namespace {

std::string words_of(const call_site& site) {
  switch (site.what) {
    case call_site::start:
      return text("start of chain ", site.own);
    case call_site::wait:
      return text("wait for chain ", site.own);
    case call_site::arrival:
      return text("wait for arrival ", site.number, " of chain ", site.own);
    default:
      return rounds::describe(site.number);
  }
}

}  // namespace

std::string name_of(const call_site& site) {
  return site.team == 0 ? words_of(site) : text(words_of(site), " in group ", site.team);
}

}  // namespace onehop::virtual_machine
