#pragma once
#include <functional>
#include <onehop/context.hpp>
#include <string>

namespace onehop {

/// Returns the end of a message that names ranks of a group: "; ranks 0, 1 of this group are ranks
/// 4, 2 of the job". The text is empty if ctx is the whole job.
std::string numbering(const context& ctx);

/// Runs `check` and adds the numbering to the message of a usage_error or chain_error that it
/// throws.
void with_numbering(const context& ctx, const std::function<void()>& check);

}  // namespace onehop
