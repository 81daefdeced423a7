import TextForms

/// The target of a request taken apart: segments and query decoded each by itself, so that `%2f` never becomes a slash
/// between segments and nothing is cut at `%00`.
struct RequestTarget: Equatable {
    var path: String
    var pathSegments: [String]
    var query: [HTTPQueryItem]

    /// Nil when the target is no path, has a broken escape, decodes to something that is not UTF-8, or holds a NUL,
    /// which the C functions behind a handler would take for the end of a name.
    init?(_ target: String) {
        var target = target
        let parsed = target.withUTF8 { Self.parse($0) }
        guard let parsed else { return nil }
        self = parsed
    }

    private init(path: String, pathSegments: [String], query: [HTTPQueryItem]) {
        self.path = path
        self.pathSegments = pathSegments
        self.query = query
    }

    private static func parse(_ target: UnsafeBufferPointer<UInt8>) -> RequestTarget? {
        guard let (rawPath, rawQuery) = split(target[...]), let path = decode(rawPath),
            let segments = segments(rawPath), let query = query(rawQuery)
        else { return nil }
        return RequestTarget(
            path: path.isEmpty ? "/" : path, pathSegments: segments, query: query)
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// The path and the query of an origin form (`/a?b`), an absolute form (`http://host/a?b`) or `*`.
    private static func split(_ target: Bytes) -> (path: Bytes, query: Bytes)? {
        var path = target
        for scheme in ["http://", "https://"] where path.starts(with: scheme.utf8) {
            path = path.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        }
        let isAbsolute = path.startIndex > target.startIndex
        var query = path[path.endIndex...]
        if let mark = path.firstIndex(of: UInt8(ascii: "?")) {
            query = path[(mark + 1)...]
            path = path[..<mark]
        }
        guard path.first == UInt8(ascii: "/") || path.elementsEqual("*".utf8) || isAbsolute && path.isEmpty else {
            return nil
        }
        return target.contains(UInt8(ascii: "#")) ? nil : (path, query)
    }

    /// `/a/b` has two segments, `/a/` two of which the last is empty, `/` none.
    private static func segments(_ path: Bytes) -> [String]? {
        guard path.count > 1 else { return [] }
        var segments: [String] = []
        var rest = path.dropFirst()
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let segment = decode(rest[..<end]) else { return nil }
            segments.append(segment)
            if end == rest.endIndex { return segments }
            rest = rest[(end + 1)...]
        }
    }

    private static func query(_ query: Bytes) -> [HTTPQueryItem]? {
        var items: [HTTPQueryItem] = []
        if query.isEmpty { return [] }
        for part in query.split(separator: UInt8(ascii: "&")) {
            let mark = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = decode(part[..<mark], plusIsSpace: true),
                let value = decode(part[mark...].dropFirst(), plusIsSpace: true)
            else { return nil }
            items.append(HTTPQueryItem(name: name, value: value))
        }
        return items
    }

    private static func decode(_ bytes: Bytes, plusIsSpace: Bool = false) -> String? {
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
                guard index + 2 < bytes.endIndex, let high = Hexadecimal.value(of: bytes[index + 1]),
                    let low = Hexadecimal.value(of: bytes[index + 2])
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
}
