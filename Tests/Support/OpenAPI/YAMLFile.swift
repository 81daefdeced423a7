import CYAML
package import JSON

/// Reads YAML as JSON has it, by the rules of YAML 1.2's core schema: what OpenAPI documents are written in.
package enum YAMLFile {
    /// Reads one document.
    /// - Throws: `YAMLError` that says where it cannot be read, has a key twice, or has a key that is no text.
    package static func read(_ text: [UInt8]) throws(YAMLError) -> JSONValue {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { throw YAMLError(line: 0, message: "no memory for a parser") }
        defer { yaml_parser_delete(&parser) }
        var document = yaml_document_t()
        // The parser reads from the buffer until the document is loaded.
        let isLoaded = text.withUnsafeBufferPointer { buffer in
            yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
            return yaml_parser_load(&parser, &document) == 1
        }
        guard isLoaded else {
            let problem = parser.problem.map { String(cString: $0) } ?? "it cannot be read"
            throw YAMLError(line: Int(parser.problem_mark.line) + 1, message: problem)
        }
        defer { yaml_document_delete(&document) }
        guard let root = yaml_document_get_root_node(&document) else {
            throw YAMLError(line: 0, message: "it is empty")
        }
        return try value(root, &document)
    }

    private static func value(
        _ node: UnsafeMutablePointer<yaml_node_t>, _ document: inout yaml_document_t
    ) throws(YAMLError) -> JSONValue {
        switch UInt32(cyaml_kind(node)) {
        case YAML_SCALAR_NODE.rawValue:
            let text = text(node)
            return cyaml_is_plain(node) == 1 ? plain(text) : .string(text)
        case YAML_SEQUENCE_NODE.rawValue:
            var elements: [JSONValue] = []
            for index in 0..<cyaml_count(node) {
                elements.append(try value(yaml_document_get_node(&document, cyaml_item(node, index)), &document))
            }
            return .array(elements)
        default:
            var members: JSONObject = [:]
            for index in 0..<cyaml_count(node) {
                let key: UnsafeMutablePointer<yaml_node_t> = yaml_document_get_node(&document, cyaml_key(node, index))
                guard UInt32(cyaml_kind(key)) == YAML_SCALAR_NODE.rawValue, members[text(key)] == nil else {
                    throw YAMLError(line: Int(cyaml_line(key)), message: "a key is no text, or is there twice")
                }
                members[text(key)] = try value(
                    yaml_document_get_node(&document, cyaml_value(node, index)), &document)
            }
            return .object(members)
        }
    }

    private static func text(_ node: UnsafeMutablePointer<yaml_node_t>) -> String {
        var length = 0
        let start = UnsafeRawPointer(cyaml_text(node, &length))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private static func plain(_ text: String) -> JSONValue {
        switch text {
        case "", "~", "null": .null
        case "true": true
        case "false": false
        default: Int64(text).map { .integer($0) } ?? number(text) ?? .string(text)
        }
    }

    private static func number(_ text: String) -> JSONValue? {
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Double(text).map { .double($0) }
    }
}

/// Text that is no YAML.
package struct YAMLError: Error, CustomStringConvertible {
    package let line: Int
    package let message: String

    package var description: String { "line \(line): \(message)" }
}
