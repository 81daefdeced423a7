import CJansson
import JSON

/// Reads JSON with jansson, as the oracle of validity and meaning.
enum Jansson {
    enum Answer {
        case value(JSONValue)
        case refused(String)
    }

    static func parse(_ text: [UInt8]) -> Answer {
        var error = json_error_t()
        let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL
        let root = text.withUnsafeBytes { json_loadb($0.baseAddress, $0.count, Int(flags), &error) }
        guard let root else {
            return .refused(withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        defer { json_decref(root) }
        return .value(value(of: root))
    }

    private static func value(of json: UnsafeMutablePointer<json_t>) -> JSONValue {
        switch json.pointee.type {
        case JSON_OBJECT: .object(object(of: json))
        case JSON_ARRAY: .array((0..<json_array_size(json)).map { value(of: json_array_get(json, $0)) })
        case JSON_STRING: .string(string(json_string_value(json), count: json_string_length(json)))
        case JSON_INTEGER: .integer(Int64(json_integer_value(json)))
        case JSON_REAL: .double(json_real_value(json))
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    private static func object(of json: UnsafeMutablePointer<json_t>) -> JSONObject {
        var object = JSONObject()
        var place = json_object_iter(json)
        while let member = place {
            let key = string(json_object_iter_key(member), count: json_object_iter_key_len(member))
            object[key] = value(of: json_object_iter_value(member))
            place = json_object_iter_next(json, member)
        }
        return object
    }

    private static func string(_ start: UnsafePointer<CChar>?, count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
