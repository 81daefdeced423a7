package import HTTPServer
package import JSON

/// Answers of JSON.
package enum JSONResponse {
    /// An answer with a value.
    package static func make(_ body: JSONValue, status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        // Values of records are finite and no deeper than the schema allows, so that writing them cannot fail.
        make((try? body.serialized()) ?? Array("{}".utf8), status: status, headers: headers)
    }

    /// An answer whose body is written by a closure: one whole value.
    package static func written(_ body: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter(capacityBytes: 4 << 10)
        body(&writer)
        return make(writer.takeBytes())
    }

    /// An answer whose body is written already.
    package static func make(_ bytes: [UInt8], status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store")] + headers,
            body: .bytes(bytes))
    }
}
