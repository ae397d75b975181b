#pragma once
#include <functional>
#include <onehop/context.hpp>
#include <string>

namespace onehop {

/// What a message that names ranks of a group ends with: "; ranks 0, 1 of this group are ranks 4, 2
/// of the job". Empty where ctx is the whole job.
std::string numbering(const context& ctx);

/// Runs `check`, whose usage_error or chain_error then says so, too.
void with_numbering(const context& ctx, const std::function<void()>& check);

}  // namespace onehop
