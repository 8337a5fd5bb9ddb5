#include "codec/codec.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

EncodedColumns encode_thesis(msa::Alignment const&, RootedTree const&, EncodeOptions const&) {
    throw InputError("the coding 'thesis' is not part of this build");
}

CodecPointer thesis_codec(std::span<std::byte const>, RootedTree) {
    throw InputError("the coding 'thesis' is not part of this build");
}

}  // namespace regraft::codec
