import TextForms

/// A request to send.
package struct HTTPClientRequest: Sendable {
    /// The part of a request that follows its head.
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// A whole file, read while it is sent, on the client's thread.
        case file(path: String)
    }

    /// The method, such as `GET`.
    package var method: String
    /// An absolute URL of scheme `http` or `https`, with what must be escaped escaped.
    package var url: String
    /// Header fields in the order they are sent. The length of the body and `Host` are added.
    package var headers: [(String, String)]
    /// The part that follows the head.
    package var body: Body
    /// The signature, for an `HTTPClient` alone; nil for none.
    package var signature: HTTPClientSignature?
    /// The longest that all may take, to the last byte of the answer; of a stream, to the end of the answer's head.
    package var timeout: Duration = .seconds(60)
    /// The longest silence of a stream before it fails; nil for no limit, which is for streams with heartbeats only.
    package var silenceMaximum: Duration? = .seconds(60)
    /// The largest body of an answer, in bytes. Does not hold for streams.
    package var responseBytesMaximum: Int = 64 << 20
    /// The number of redirections that are followed, none by default; never from a stream.
    package var redirectsMaximum: Int = 0

    /// A request with the usual limits; nothing is checked before it is sent.
    package init(_ method: String = "GET", _ url: String, headers: [(String, String)] = [], body: Body = .empty) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

extension HTTPClientRequest {
    /// The URL as it may be logged: without query, fragment, name and password.
    var loggableURL: String {
        var text = url.prefix { $0 != "?" && $0 != "#" }
        if let slashes = text.firstPlace(of: "://") {
            let authority = text[slashes.upperBound...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") { text.removeSubrange(slashes.upperBound...at) }
        }
        return String(text)
    }

    /// Scheme, host and port of a URL without a defect.
    var origin: Substring {
        let bytes = url.utf8
        // Bytes, as a text would be taken apart into characters.
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            let host = bytes.index(slash, offsetBy: 2, limitedBy: bytes.endIndex)
        else { return url[...] }
        let end = bytes[host...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        return url[..<(end ?? bytes.endIndex)]
    }

    /// The reason why it cannot be sent, nil when it can. A line end in a header would let its value write further
    /// headers.
    var defect: String? {
        guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenCharacter) else { return "the method is no token" }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            return "the URL does not begin with http:// or https://"
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return "the URL has characters to be escaped" }
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenCharacter) else {
                return "a header's name is no token"
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the value of header \(name) holds a control character"
            }
        }
        return signature?.defect(of: self)
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !isSeparator[Int(byte)]
    }

    private static let isSeparator = {
        var table = [Bool](repeating: false, count: 128)
        for byte in "\"(),/:;<=>?@[\\]{}".utf8 { table[Int(byte)] = true }
        return table
    }()
}
