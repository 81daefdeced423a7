#if canImport(Glibc)
    import Glibc
#endif

/// The first part of a form (`multipart/form-data`, RFC 7578), taken out of a body while it comes. A pure machine.
package struct FormPart: Sendable {
    /// Bytes that a form may have beside what is in its first part.
    package static let envelopeBytesMax = 64 << 10
    /// Bytes before the part, and of its headers, at most.
    private static let headBytesMax = 16 << 10

    private enum Phase {
        /// Before the first boundary.
        case preamble
        /// In the rest of the boundary's line and in the part's headers.
        case head
        case contents
        /// Behind the part.
        case over
    }

    private var phase = Phase.preamble
    private let delimiter: [UInt8]
    /// The bytes that have come and are not decided about: at most a head, or what may be the beginning of a boundary. The line end is
    /// the one that a boundary stands behind.
    private var held: [UInt8] = Array("\r\n".utf8)

    /// Reads the boundary of a form; nil for a body that is none.
    /// - Throws: `HTTPRefusal.malformedForm` for a form without a usable boundary.
    package init?(contentType: String?) throws(HTTPRefusal) {
        guard let contentType else { return nil }
        let pieces = contentType.split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" } }
        guard pieces[0].lowercased().hasPrefix("multipart/form-data") else { return nil }
        guard let parameter = pieces.dropFirst().first(where: { $0.lowercased().hasPrefix("boundary=") }) else {
            throw .malformedForm
        }
        var boundary = parameter.dropFirst("boundary=".count)
        if boundary.first == "\"", boundary.count > 1, boundary.last == "\"" {
            boundary = boundary.dropFirst().dropLast()
        }
        while boundary.last == " " || boundary.last == "\t" { boundary.removeLast() }
        guard (1...70).contains(boundary.utf8.count) else { throw .malformedForm }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// A Boolean that tells whether the part has ended.
    package var isOver: Bool { phase == .over }

    /// Takes more of the body; returns what of it belongs to the part.
    /// - Throws: `HTTPRefusal.malformedForm`.
    package mutating func take(_ bytes: some Collection<UInt8>) throws(HTTPRefusal) -> [UInt8] {
        guard phase != .over else { return [] }
        held.append(contentsOf: bytes)
        if phase == .preamble {
            guard let place = Self.place(of: delimiter, in: held) else {
                guard held.count <= Self.headBytesMax else { throw .malformedForm }
                return []
            }
            held.removeFirst(place + delimiter.count)
            phase = .head
        }
        if phase == .head, try !endHead() { return [] }
        if let place = Self.place(of: delimiter, in: held) {
            defer { held = [] }
            phase = .over
            return Array(held[..<place])
        }
        let sure = max(0, held.count - delimiter.count + 1)
        defer { held.removeFirst(sure) }
        return Array(held[..<sure])
    }

    /// Goes on to the contents, if the part's headers have ended.
    private mutating func endHead() throws(HTTPRefusal) -> Bool {
        // A form that ends with its first boundary has no part.
        guard !held.starts(with: "--".utf8) else { throw .malformedForm }
        guard let end = Self.place(of: Array("\r\n\r\n".utf8), in: held) else {
            guard held.count <= Self.headBytesMax else { throw .malformedForm }
            return false
        }
        // Behind the boundary its line has only white space.
        let padding = held.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        guard held[padding...].starts(with: "\r\n".utf8) else { throw .malformedForm }
        held.removeFirst(end + 4)
        phase = .contents
        return true
    }

    /// The first place of a pattern that begins with a carriage return.
    private static func place(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { bytes in
            pattern.withUnsafeBytes { pattern in
                var from = 0
                while bytes.count - from >= pattern.count,
                    let found = memchr(bytes.baseAddress! + from, Int32(pattern[0]), bytes.count - from)
                {
                    let place = UnsafeRawPointer(found) - bytes.baseAddress!
                    guard bytes.count - place >= pattern.count else { return nil }
                    if memcmp(found, pattern.baseAddress!, pattern.count) == 0 { return place }
                    from = place + 1
                }
                return nil
            }
        }
    }
}
