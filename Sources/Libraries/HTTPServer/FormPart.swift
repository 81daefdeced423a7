#if canImport(Glibc)
    import Glibc
#endif

/// The file of a form (`multipart/form-data`, RFC 7578), taken out of a body while it arrives: the first part with a
/// file name, or the first one if none has one: a field before the file is stored until the file comes, and then
/// forgotten. The part is stored, counted and limited as it arrives. A form without its last boundary is refused at its
/// end, also one that breaks off behind the file; a line that only starts like a boundary is refused at once, since it
/// may be the file's. Pure.
package struct FormPart: Sendable {
    /// Bytes that a form may have beside its file.
    package static let envelopeBytesMax = 64 << 10
    /// Bytes before the first part, and of the headers of each, at most.
    private static let headBytesMax = 16 << 10
    /// Parts at most, as each is some work whatever its size.
    private static let partsMax = 1000

    private enum Phase {
        /// Before the first boundary.
        case preamble
        /// Behind a boundary, before it is known whether a part follows.
        case boundary
        /// In a part's headers, with the line end before them.
        case head
        case contents
        /// Behind the last boundary, before it is known that its line has nothing else.
        case end
        /// Behind the form.
        case over
    }

    /// The part that is taken so far.
    private enum Choice {
        case none
        /// One without a file name, which gives way to one that has one.
        case unnamed
        case named
    }

    private var phase = Phase.preamble
    private var choice = Choice.none
    private var parts = 0
    /// True while the arriving bytes belong to the chosen part.
    private var isChosen = false
    private let delimiter: [UInt8]
    /// Undecided bytes: at most a head, or a possible start of a boundary. The initial line end is the one before a
    /// boundary.
    private var held: [UInt8] = Array("\r\n".utf8)

    /// Reads the boundary of a form; nil for a body that has no parts.
    /// - Throws: `HTTPRefusal.malformedForm` for a form without a usable boundary, and for parts of another kind.
    package init?(contentType: String?) throws(HTTPRefusal) {
        guard let contentType else { return nil }
        let pieces = contentType.split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" } }
        let type = pieces[0].lowercased().prefix { $0 != " " && $0 != "\t" }
        guard type.hasPrefix("multipart/") else { return nil }
        guard type == "multipart/form-data",
            let parameter = pieces.dropFirst().first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { throw .malformedForm }
        var boundary = parameter.dropFirst("boundary=".count)
        if boundary.first == "\"", boundary.count > 1, boundary.last == "\"" {
            boundary = boundary.dropFirst().dropLast()
        }
        while boundary.last == " " || boundary.last == "\t" { boundary.removeLast() }
        guard (1...70).contains(boundary.utf8.count) else { throw .malformedForm }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// True after the form's last boundary.
    package var isOver: Bool { phase == .end || phase == .over }

    /// Bytes of the file that a piece of the body has.
    package struct Taken: Sendable {
        /// True if the bytes taken before are not the file's.
        package var restarts = false
        /// The bytes, behind those that were taken before.
        package var bytes: [UInt8] = []
    }

    /// Takes more of the body.
    /// - Throws: `HTTPRefusal.malformedForm`.
    package mutating func take(_ bytes: some Collection<UInt8>) throws(HTTPRefusal) -> Taken {
        var taken = Taken()
        guard phase != .over else { return taken }
        held.append(contentsOf: bytes)
        while try step(&taken) {}
        return taken
    }

    /// Goes on to the next phase; false if that takes more bytes.
    private mutating func step(_ taken: inout Taken) throws(HTTPRefusal) -> Bool {
        switch phase {
        case .preamble:
            guard let place = Self.place(of: delimiter, in: held) else { return try waitForHead() }
            held.removeFirst(place + delimiter.count)
            phase = .boundary
            return true
        case .boundary: return try endBoundary()
        case .head: return try endHead(&taken)
        case .contents: return takeContents(&taken)
        case .end:
            guard let next = held.first else { return false }
            guard " \t\r\n".utf8.contains(next) else { throw .malformedForm }
            held = []
            phase = .over
            return false
        case .over: return false
        }
    }

    /// Decides between a part and the end after a boundary. A line that only starts like a boundary is not one, and
    /// then the file cannot be separated from the form.
    private mutating func endBoundary() throws(HTTPRefusal) -> Bool {
        if held.starts(with: "--".utf8) {
            // A form that ends with its first boundary has no part.
            guard choice != .none else { throw .malformedForm }
            held.removeFirst(2)
            phase = .end
            return true
        }
        // Behind the boundary its line has only white space.
        let padding = held.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        let rest = held[padding...]
        if rest.isEmpty || rest.elementsEqual("\r".utf8) || held.elementsEqual("-".utf8) { return try waitForHead() }
        guard rest.starts(with: "\r\n".utf8) else { throw .malformedForm }
        parts += 1
        guard parts <= Self.partsMax else { throw .malformedForm }
        held.removeFirst(padding)
        phase = .head
        return true
    }

    /// Goes on to the contents, if the part's headers have ended, and decides whether they are the file's.
    private mutating func endHead(_ taken: inout Taken) throws(HTTPRefusal) -> Bool {
        guard let end = Self.place(of: Array("\r\n\r\n".utf8), in: held) else { return try waitForHead() }
        let isNamed = FormHead(held[..<end]).hasFileName
        held.removeFirst(end + 4)
        phase = .contents
        isChosen = choice == .none || (isNamed && choice == .unnamed)
        guard isChosen else { return true }
        if choice == .unnamed { taken = Taken(restarts: true) }
        choice = isNamed ? .named : .unnamed
        return true
    }

    private mutating func takeContents(_ taken: inout Taken) -> Bool {
        let end = Self.place(of: delimiter, in: held)
        let sure = end ?? max(0, held.count - delimiter.count + 1)
        if isChosen { taken.bytes += held[..<sure] }
        held.removeFirst(end == nil ? sure : sure + delimiter.count)
        if end != nil { phase = .boundary }
        return end != nil
    }

    /// Waits for the end of a head, as long as that is not too far.
    private func waitForHead() throws(HTTPRefusal) -> Bool {
        guard held.count <= Self.headBytesMax else { throw .malformedForm }
        return false
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
