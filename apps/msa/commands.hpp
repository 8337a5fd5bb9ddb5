// The commands, file by file.
#pragma once

#include "input/options.hpp"

namespace regraft::msa_cli {

inline constexpr char const* program = "regraft-msa";

// Each function processes all files, reports errors on standard error, and returns the worst exit code.
int run(AppendOptions const& options);
int run(CompactOptions const& options);
int run(CompressOptions const& options);
int run(DecompressOptions const& options);
int run(ExtractOptions const& options);
int run(StatOptions const& options);
int run(VerifyOptions const& options);
int run(TreeOptions const& options);
int run(CatOptions const& options);
int run(ConcatOptions const& options);
int run(DedupOptions const& options);
int run(RenameOptions const& options);
int run(TrimOptions const& options);
int run(MaskOptions const& options);
int run(TranslateOptions const& options);
int run(SampleOptions const& options);

}  // namespace regraft::msa_cli
