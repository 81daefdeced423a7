package import Foundation
package import JSON

/// `docs/openapi.yaml`, and its agreement with requests and answers.
package struct APIContract: Sendable {
    /// An operation: a method at a path, as `POST /database/1/{container}/…`.
    package struct Operation: Sendable {
        package var method: String
        package var path: String
        package var json: JSONValue
        /// The group that it belongs to.
        package var tags: [String] { json["tags"]?.array?.compactMap(\.string) ?? [] }
        /// Those of the path and those of the operation.
        var parameters: [JSONValue]
    }

    /// The document of this checkout.
    package static let committed = Result { try APIContract(Array(Data(contentsOf: file))) }

    /// Where the document stands.
    package static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/openapi.yaml")

    package let json: JSONValue
    package let operations: [Operation]
    let schema: JSONSchema

    /// Reads a document.
    /// - Throws: `YAMLError`.
    package init(_ text: [UInt8]) throws {
        json = try YAMLFile.read(text)
        schema = JSONSchema(components: json["components"]?["schemas"]?.object ?? [:])
        var operations: [Operation] = []
        for (path, item) in json["paths"]?.object ?? [:] {
            let shared = item["parameters"]?.array ?? []
            for (method, operation) in item.object ?? [:] where method != "parameters" {
                operations.append(
                    Operation(
                        method: method.uppercased(), path: path, json: operation,
                        parameters: shared + (operation["parameters"]?.array ?? [])))
            }
        }
        self.operations = operations
    }

    /// Follows a reference to another part of the document.
    func resolved(_ json: JSONValue) -> JSONValue {
        guard let reference = json["$ref"]?.string else { return json }
        return reference.split(separator: "/").dropFirst().reduce(self.json) { $0[String($1)] ?? .null }
    }

    /// The operations at a path, whatever the method.
    func operations(at segments: [String]) -> [Operation] {
        operations.filter { operation in
            let pattern = operation.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            return pattern.count == segments.count
                && zip(pattern, segments).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
        }
    }
}
