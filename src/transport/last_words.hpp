#pragma once

namespace onehop {

/// From now on, an onehop::error that nobody catches ends this rank of onehop run with status 2,
/// and the launcher tells the user why, in one line for the whole job. Every other exception ends
/// it as without this call. If no launcher listens, nothing changes.
void report_uncaught_errors();

}  // namespace onehop
