import Compression
import Cryptography
import HTTPServer
import TextForms
import WebAPI

/// The files of the console as browsers get them: each plain and compressed, under the name of the build.
struct ConsoleFiles: Sendable {
    /// One file with its computed forms.
    private struct Served: Sendable {
        let type: String
        let plain: [UInt8]
        /// Nil where the plain bytes are fewer.
        let compressed: [UInt8]?
        /// The checksum, without quotes.
        let checksum: String
    }

    /// The file that `/console/` is.
    static let index = "index.html"
    /// The text in addresses of the index that the build's name takes the place of.
    private static let placeholder = "=\"BUILD/"

    /// The name of the files' contents, a segment of their addresses: other contents have another name.
    let build: String
    private let files: [String: Served]

    /// - Parameter build: the name; nil makes one of the contents.
    init(_ files: [ConsoleFile], build: String? = nil) {
        let name = build ?? Self.name(of: files)
        self.build = name
        self.files = Dictionary(
            files.compactMap { file in
                file.type.map { (file.name, Self.served(file, $0, build: name)) }
            }
        ) { first, _ in first }
    }

    /// The answer with a file; nil where there is none of the name.
    /// - Parameter isImmutable: whether the address has no other content, ever.
    func response(_ name: String, to head: HTTPRequestHead, isImmutable: Bool) -> HTTPResponse? {
        guard let file = files[name] else { return nil }
        let compressed = Self.takesGzip(head) ? file.compressed : nil
        // Either form is known by either tag: a client with one of them needs no other.
        let tags = ["\"\(file.checksum)\"", "\"\(file.checksum)-gzip\""]
        var headers = [
            ("ETag", compressed == nil ? tags[0] : tags[1]),
            ("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache"),
            ("Vary", "Accept-Encoding"),
        ]
        let body = compressed ?? file.plain
        if let known = head.headers["If-None-Match"], tags.contains(where: { HeaderList(known).names($0) }) {
            return HTTPResponse(
                status: 304, headers: headers, body: .stream(HTTPResponseStream(length: body.count)))
        }
        headers.append(("Content-Type", file.type))
        if compressed != nil { headers.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(body))
    }

    /// Returns true if the client takes gzip (RFC 9110, 12.5.3).
    static func takesGzip(_ head: HTTPRequestHead) -> Bool {
        HeaderList(head.headers.values("Accept-Encoding").joined(separator: ",")).members.contains { member in
            let parts = member.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard ["gzip", "x-gzip", "*"].contains(parts.first) else { return false }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return weight ?? 1 > 0
        }
    }

    private static func name(of files: [ConsoleFile]) -> String {
        var all: [UInt8] = []
        for file in files.sorted(by: { $0.name < $1.name }) {
            all += SHA256.hash(Array(file.name.utf8)) + SHA256.hash(file.bytes)
        }
        return Hexadecimal.encode(Array(SHA256.hash(all).prefix(8)))
    }

    private static func served(_ file: ConsoleFile, _ type: String, build: String) -> Served {
        var plain = file.bytes
        if file.name == index {
            let text = String(decoding: plain, as: UTF8.self)
            plain = Array(text.replacing(placeholder, with: "=\"\(build)/").utf8)
        }
        let compressed = Gzip.compress(plain, level: 9)
        return Served(
            type: type, plain: plain, compressed: compressed.count < plain.count ? compressed : nil,
            checksum: Base64.url.encode(SHA256.hash(plain)))
    }
}
