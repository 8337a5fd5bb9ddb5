#include "codec/codec.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

EncodedColumns encode_native(msa::Alignment const&, RootedTree const&, EncodeOptions const&) {
    throw InputError("the coding 'native' is not part of this build");
}

CodecPointer native_codec(std::span<std::byte const>, RootedTree) {
    throw InputError("the coding 'native' is not part of this build");
}

}  // namespace regraft::codec
