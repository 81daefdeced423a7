package import HTTPClient

/// A request that was sent, and the answer that came.
package struct Exchange: Sendable {
    package var method: String
    /// Path and query, as they were sent.
    package var target: String
    /// Of the request; nil where none was sent.
    package var requestBody: [UInt8]?
    package var status: Int
    package var headers: HTTPClientHeaders
    /// Of the answer; nil where it is a stream or was not read.
    package var body: [UInt8]?

    package init(
        method: String, target: String, requestBody: [UInt8]?, status: Int, headers: HTTPClientHeaders, body: [UInt8]?
    ) {
        self.method = method
        self.target = target
        self.requestBody = requestBody
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// What a client sent and got, the answer read to its end.
    package init(_ request: HTTPClientRequest, _ response: HTTPClientResponse) {
        self.init(request, status: response.status, headers: response.headers, body: response.body)
    }

    /// What a client sent, and the stream that it got.
    package init(_ request: HTTPClientRequest, _ stream: HTTPClientStream) {
        self.init(request, status: stream.status, headers: stream.headers, body: nil)
    }

    private init(_ request: HTTPClientRequest, status: Int, headers: HTTPClientHeaders, body: [UInt8]?) {
        var requestBody: [UInt8]?
        if case .bytes(let bytes) = request.body { requestBody = bytes }
        // Without scheme and host.
        let target = request.url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2)
            .first
        self.init(
            method: request.method, target: String((target ?? "").drop { $0 != "/" }), requestBody: requestBody,
            status: status, headers: headers, body: body)
    }

    /// The path's segments with their escapes taken away.
    var segments: [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(Self.decoded)
    }

    /// The query's items with their escapes taken away.
    var query: [(name: String, value: String)] {
        guard let text = target.split(separator: "?", maxSplits: 1).dropFirst().first else { return [] }
        return text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// How messages call it.
    var name: String { "\(method) \(path) → \(status)" }

    private var path: Substring { target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)[0] }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
