#pragma once

namespace onehop {

/// From now on an onehop::error that nobody catches ends this rank of onehop run with status 2, and
/// the launcher tells the user why, in one line for the whole job. Every other exception ends it as
/// without this call. Nothing changes where no launcher listens.
void report_uncaught_errors();

}  // namespace onehop
