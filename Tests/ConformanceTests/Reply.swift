import HTTPClient
import JSON
import Testing

/// An answer.
struct Reply: Sendable, CustomStringConvertible {
    let status: Int
    private let headers: HTTPClientHeaders
    let body: [UInt8]
    let json: JSONValue

    init(_ response: HTTPClientResponse) {
        status = response.status
        headers = response.headers
        body = response.body
        json = (try? JSONValue(parsing: response.body)) ?? .null
    }

    var code: String? { json["serverErrorCode"]?.string }

    func header(_ name: String) -> String? { headers[name] }

    func items(_ key: String) -> [JSONValue] { json[key]?.array ?? [] }

    var description: String { "\(status) \(String(decoding: body.prefix(600), as: UTF8.self))" }
}

extension JSONValue {
    /// The error code of an item; nil when it did not fail.
    var code: String? { self["serverErrorCode"]?.string }
    var recordName: String? { self["recordName"]?.string }
    var tag: String? { self["recordChangeTag"]?.string }

    /// The value of a field.
    func field(_ name: String) -> JSONValue? { self["fields"]?[name]?["value"] }
}

/// Expects that a whole request was refused with an error dictionary (docs/cloudkit.md#errors).
func expect(
    _ reply: Reply, _ status: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == status, "\(reply)", sourceLocation: sourceLocation)
    #expect(reply.code == code, "\(reply)", sourceLocation: sourceLocation)
    #expect(reply.json["reason"]?.string?.isEmpty == false, "\(reply)", sourceLocation: sourceLocation)
    #expect(reply.json["uuid"]?.string?.isEmpty == false, "\(reply)", sourceLocation: sourceLocation)
}
