#include "files/json_writer.hpp"

namespace regraft::plan {

void JsonWriter::member(std::string_view key, Json const& item) {
    begin(key);
    append(buffer_, item.dump(-1, ' ', false, Json::error_handler_t::replace));  // paths need not be UTF-8
}

void JsonWriter::finish() {
    append(buffer_, empty_ ? "{}\n" : "\n}\n");
    flush();
    out_.commit();
}

void JsonWriter::begin(std::string_view key) {
    append(buffer_, empty_ ? "{\n\"" : ",\n\"");
    append(buffer_, key);
    append(buffer_, "\": ");
    empty_ = false;
}

void JsonWriter::flush() {
    out_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
}

}  // namespace regraft::plan
