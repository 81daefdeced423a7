import Compression
import Cryptography
package import HTTPServer
import TextForms

/// A file as browsers get it: plain, and compressed once.
package struct ServedFile: Sendable {
    private let type: String
    private let plain: [UInt8]
    /// Nil where the plain bytes are fewer.
    private let compressed: [UInt8]?
    /// Without quotes.
    private let checksum: String

    /// - Parameter type: the value of `Content-Type`.
    package init(type: String, bytes: [UInt8]) {
        self.type = type
        plain = bytes
        let compressed = Gzip.compress(bytes, level: 9)
        self.compressed = compressed.count < bytes.count ? compressed : nil
        checksum = Base64.url.encode(SHA256.hash(bytes))
    }

    /// Returns the answer to a request for the file.
    /// - Parameters:
    ///   - caching: the value of `Cache-Control`.
    ///   - further: headers of the 200 and of the 304.
    package func response(
        to head: HTTPRequestHead, caching: String, further: [(String, String)] = []
    ) -> HTTPResponse {
        let compressed = Self.takesGzip(head) ? compressed : nil
        // Either form is known by either tag: a client with one of them needs no other.
        let tags = ["\"\(checksum)\"", "\"\(checksum)-gzip\""]
        var headers =
            [
                ("ETag", compressed == nil ? tags[0] : tags[1]), ("Cache-Control", caching),
                ("Vary", "Accept-Encoding"),
            ] + further
        let body = compressed ?? plain
        if let known = head.headers["If-None-Match"], tags.contains(where: { HeaderList(known).names($0) }) {
            return HTTPResponse(
                status: 304, headers: headers, body: .stream(HTTPResponseStream(length: body.count)))
        }
        headers.append(("Content-Type", type))
        if compressed != nil { headers.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(body))
    }

    /// The value of `Cache-Control` for an address that never has another content.
    package static let immutable = "public, max-age=31536000, immutable"

    /// Returns true if the client takes gzip (RFC 9110, 12.5.3).
    static func takesGzip(_ head: HTTPRequestHead) -> Bool {
        HeaderList(head.headers.values("Accept-Encoding").joined(separator: ",")).members.contains { member in
            let parts = member.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard ["gzip", "x-gzip", "*"].contains(parts.first) else { return false }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return weight ?? 1 > 0
        }
    }
}
