// The commands that make other alignments, each for one result.
#pragma once

#include "input/edits.hpp"

namespace regraft::msa_cli {

// Each function reads its inputs, writes its result and says on standard error what it has done. Throws InputError and
// OutputError.
void concat(ConcatOptions const& options);
void dedup(DedupOptions const& options);
void rename_taxa(RenameOptions const& options);
void trim(TrimOptions const& options);
void mask(MaskOptions const& options);
void translate(TranslateOptions const& options);
void sample(SampleOptions const& options);

}  // namespace regraft::msa_cli
