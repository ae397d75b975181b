#pragma once
/// A remote_mail is the mail of a rank that is a process of its own.

#include "transport/base/mail.hpp"
#include "transport/virtual/processes/mailbox.hpp"
#include "transport/virtual/processes/rank.hpp"

namespace onehop::virtual_machine {

class remote_mail final : public mail {
 public:
  /// The constructor is collective. The mailbox is exposed memory, zero but for its capacity.
  remote_mail(rank_process& process, int rank, mailbox& box);
  ~remote_mail() override;
  remote_mail(const remote_mail&) = delete;
  remote_mail& operator=(const remote_mail&) = delete;

  bool try_send(int to, std::span<const std::byte> head, std::span<const std::byte> body,
                const modelled_message& stands_for) override;
  std::optional<packet> next() override;
  bool all_came() noexcept override;

 private:
  rank_process& process_;
  int rank_;
  mailbox& box_;
  std::size_t handed_out_ = 0;  ///< bytes of the packet that the rank may still read
};

}  // namespace onehop::virtual_machine
