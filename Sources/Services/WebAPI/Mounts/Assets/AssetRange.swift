import CloudModel
import HTTPServer

/// The part of a file that a request wants, by its conditions and its `Range` (RFC 9110, 13 and 14).
enum AssetRange: Equatable {
    case whole
    /// Bytes from an offset.
    case part(offset: Int64, count: Int64)
    /// No bytes: the client has the file.
    case none
    /// Bytes that the file does not have.
    case beyond
    /// Another file than this one.
    case another

    /// Reads what a request wants of a file that never changes: its checksum names its bytes.
    init(_ head: HTTPRequestHead, of asset: Asset) {
        let tag = Self.entityTag(of: asset)
        if let wanted = head.headers["If-Match"], !HeaderList(wanted).names(tag, isStrong: true) {
            self = .another
            return
        }
        if let known = head.headers["If-None-Match"], HeaderList(known).names(tag) {
            self = .none
            return
        }
        // A range is of a GET alone, and of the file that the client has a part of.
        guard !head.isHead, let range = head.headers["Range"], head.headers["If-Range"] ?? tag == tag else {
            self = .whole
            return
        }
        self = Self.part(range, of: asset.size)
    }

    /// The name of the file's bytes.
    static func entityTag(of asset: Asset) -> String { "\"\(asset.fileChecksum)\"" }

    /// Reads a range; one that is no single range of bytes is passed over, as the standard has it.
    private static func part(_ range: String, of size: Int64) -> AssetRange {
        let parts = range.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return .whole }
        let ranges = HeaderList(parts[1]).members
        guard ranges.count == 1 else { return .whole }
        let ends = ranges[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return .whole }
        switch (first, last) {
        case (nil, nil): return .whole
        case (nil, let suffix?):
            guard suffix > 0, size > 0 else { return .beyond }
            return .part(offset: max(0, size - suffix), count: min(suffix, size))
        case (let first?, let last):
            if let last, last < first { return .whole }
            guard first < size else { return .beyond }
            let end = last.map { min($0, size - 1) } ?? size - 1
            return .part(offset: first, count: end - first + 1)
        }
    }

    /// A number, or none for an empty text; nil for other texts.
    private static func number(_ text: Substring) -> Int64?? {
        guard !text.isEmpty else { return .some(nil) }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        // A number that is too large for any file stands for its end.
        return .some(Int64(text) ?? .max)
    }
}
