import CMicroHTTPD

/// Checks that the head of a request has lines as in RFC 9112: each ends with CR and LF, none continues on the next, no
/// NUL.
///
/// libmicrohttpd before 1.0 accepts a bare LF as a line's end, joins continued lines and cuts values at NUL, where a proxy
/// in front may read otherwise. It parses in place, and writes a NUL over the colon and over each CR and LF: so with
/// proper lines each name follows two such bytes after the value before it, and a continued line, which it copies
/// elsewhere, follows nothing. The request is then refused and the connection closed. Not seen are line ends of chunks and
/// of trailers, which the library consumes: a bare LF there is taken. Trailers are never looked at.
///
/// From 1.0 on the library refuses all of these itself, and leaves other bytes in the memory: nothing is checked here.
struct HeaderLines {
    private static let areChecked = microhttpd_refuses_ambiguous_lines() == 0

    private(set) var areProper = true
    private var end: UnsafeRawPointer

    /// - Parameter version: the last word of the request line, in the memory that it was read into.
    init(version: UnsafePointer<CChar>) {
        var end = UnsafeRawPointer(version)
        while end.load(as: UInt8.self) != 0 { end += 1 }
        self.end = end
    }

    /// The next line; its value ends at the first NUL.
    mutating func take(
        name: UnsafePointer<CChar>?, count: Int, value: UnsafePointer<CChar>?, valueCount: Int
    ) {
        guard Self.areChecked else { return }
        guard areProper, let name, let value, endsLine, UnsafeRawPointer(name) == end + 2 else {
            areProper = false
            return
        }
        // The colon, and white space after it.
        var start = end + 2 + count + 1
        let (begin, limit) = (UnsafeRawPointer(value), UnsafeRawPointer(value) + valueCount)
        guard start <= begin else {
            areProper = false
            return
        }
        while start < begin, start.load(as: UInt8.self) == 0x20 || start.load(as: UInt8.self) == 0x09 { start += 1 }
        areProper = start == begin
        end = limit
    }

    /// After the last line: its end and that of the empty line, which is where the head ends.
    mutating func finish(_ headEnd: UnsafeRawPointer) {
        guard Self.areChecked else { return }
        areProper = areProper && endsLine && end + 4 == headEnd
    }

    private var endsLine: Bool { end.load(as: UInt8.self) == 0 && (end + 1).load(as: UInt8.self) == 0 }
}
