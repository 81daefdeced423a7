import HTTPClient

/// The part of an object that an answer says it has, by `Content-Range` or as a whole.
struct S3Part: Hashable {
    let offset: Int64
    let count: Int64
    /// Bytes of the whole object.
    let total: Int64

    var isWhole: Bool { count == total }

    /// Reads the head of an answer to a range; nil when it says nothing that can be believed.
    init?(status: Int, headers: HTTPClientHeaders, bodyCount: Int) {
        switch status {
        case 206:
            guard let text = headers["Content-Range"], let part = Self(contentRange: text) else { return nil }
            self = part
        case 200: (offset, count, total) = (0, Int64(bodyCount), Int64(bodyCount))
        default: return nil
        }
        guard count == Int64(bodyCount) else { return nil }
    }

    /// Reads `bytes 0-99/1000`.
    init?(contentRange text: String) {
        guard text.hasPrefix("bytes ") else { return nil }
        let halves = text.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let total = Self.number(halves[1]) else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < total
        else { return nil }
        (offset, count, self.total) = (first, last - first + 1, total)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
