/// The target of a request taken apart: segments and query decoded each by itself, so that `%2f` never becomes a slash
/// between segments and nothing is cut at `%00`.
struct RequestTarget: Equatable {
    var path: String
    var pathSegments: [String]
    var rawQuery: String
    var query: [HTTPQueryItem]

    /// Nil when the target is no path, has a broken escape, decodes to something that is not UTF-8, or holds a NUL,
    /// which the C functions behind a handler would take for the end of a name.
    init?(_ target: String) {
        let bytes = Array(target.utf8)[...]
        guard let (rawPath, rawQuery) = Self.split(bytes) else { return nil }
        guard let path = Self.decode(rawPath), let segments = Self.segments(rawPath),
            let query = Self.query(rawQuery)
        else { return nil }
        self.path = path
        self.pathSegments = segments
        self.rawQuery = String(decoding: rawQuery, as: UTF8.self)
        self.query = query
    }

    /// The path and the query of an origin form (`/a?b`), an absolute form (`http://host/a?b`) or `*`.
    private static func split(_ target: ArraySlice<UInt8>) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>)? {
        var rest = target
        for scheme in ["http://", "https://"] where rest.starts(with: scheme.utf8) {
            rest = rest.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            if rest.first != UInt8(ascii: "/") { rest = [UInt8(ascii: "/")] + rest }
        }
        guard rest.first == UInt8(ascii: "/") || rest.elementsEqual("*".utf8) else { return nil }
        guard !rest.contains(UInt8(ascii: "#")) else { return nil }
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else { return (rest, []) }
        return (rest[..<mark], rest[(mark + 1)...])
    }

    /// `/a/b` has two segments, `/a/` two of which the last is empty, `/` none.
    private static func segments(_ path: ArraySlice<UInt8>) -> [String]? {
        guard path.count > 1 else { return [] }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = decode(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    private static func query(_ query: ArraySlice<UInt8>) -> [HTTPQueryItem]? {
        var items: [HTTPQueryItem] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let mark = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = decode(part[..<mark], plusIsSpace: true),
                let value = decode(part[mark...].dropFirst(), plusIsSpace: true)
            else { return nil }
            items.append(HTTPQueryItem(name: name, value: value))
        }
        return items
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        let isPlain = bytes.allSatisfy {
            $0 != UInt8(ascii: "%") && $0 < 0x80 && $0 > 0x20 && !(plusIsSpace && $0 == UInt8(ascii: "+"))
        }
        if isPlain { return String(decoding: bytes, as: UTF8.self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, let high = hexadecimal(bytes[index + 1]),
                    let low = hexadecimal(bytes[index + 2])
                else { return nil }
                byte = high << 4 | low
                index += 2
            } else if plusIsSpace && byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            guard byte != 0 else { return nil }
            decoded.append(byte)
            index += 1
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
