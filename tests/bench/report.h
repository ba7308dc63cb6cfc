// What terrane-bench prints and writes.
#pragma once

#include <string>
#include <vector>

#include "shared/core/result.h"
#include "tests/bench/bench_row.h"

namespace terrane::bench {

/// One line, aligned with the header's.
std::string table_header();
std::string table_line(const BenchResult& result);
/// What the columns mean; two lines.
std::string table_legend();
/// {"machine": {…}, "rows": [{"row", "peer", "ours", "theirs", "unit", "ratio", "must",
/// "ambitious", "goal", "met", "agree"}]}; a missing peer's row has null for ours and theirs.
Result<void> write_json(const std::string& file, const std::vector<BenchResult>& results);

}  // namespace terrane::bench
