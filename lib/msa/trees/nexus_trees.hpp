// Where the trees of a NEXUS text are, and what their labels mean.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::msa {

/// The trees of all blocks TREES. A label of a tip may be short for the name of a taxon, by the command `translate` of
/// its block, or be the number of a taxon of the block TAXA.
class NexusTrees {
public:
    /// Throws InputError if the text is not as NEXUS wants it, or has no tree. Precondition: is_nexus(text).
    NexusTrees(std::string_view text, std::string const& file);

    /// The number of trees.
    std::size_t size() const { return begins_.size(); }
    /// Where the Newick text of a tree begins, behind the byte order mark.
    std::size_t begin(std::size_t tree) const { return begins_[tree].at; }
    /// What a label in this tree stands for; itself if nothing says so.
    std::string name_of(std::string const& label, std::size_t tree) const;

private:
    struct Begin {
        std::size_t at;
        std::size_t block;  // whose table it uses
    };

    std::vector<Begin> begins_;
    std::vector<std::map<std::string, std::string>> tables_;  // of each block TREES
    std::vector<std::string> taxa_;                           // of the block TAXA
};

}  // namespace regraft::msa
