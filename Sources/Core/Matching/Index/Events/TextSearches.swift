/// Tables of an event's texts by which many searches look at each text a bounded number of times: its suffixes in their
/// order, and its parts of a length.
struct TextSearches: ~Copyable {
    /// A shorter text is searched again each time.
    static let sortedBytesMin = 1024
    /// Searches through a text before it is sorted: by then they have taken about as long as sorting does.
    static let plainSearchesMax = 24

    /// The parts of one length that a text has, as bits at the parts' keys: a part that is not there may seem to be.
    struct Parts: BitwiseCopyable {
        var facet: UInt32
        var start: Int
        var mask: UInt32
    }

    private struct Text {
        var place: Int
        var searches = 0
        var suffixes: SuffixArray?
    }

    private var texts: [Text] = []
    private var parts = Arena<Parts>()
    private var bits = Arena<UInt64>()

    var bytes: Int { texts.reduce(parts.bytes + bits.bytes) { $0 + ($1.suffixes?.bytes ?? 0) } }

    /// Forgets everything.
    mutating func removeAll() {
        if !texts.isEmpty { texts.removeAll(keepingCapacity: true) }
        parts.removeAll()
        bits.removeAll()
    }

    /// Returns true if a text, which is known by a place, holds a part.
    mutating func holds(_ part: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        guard text.count >= Self.sortedBytesMin else { return text.holds(part) }
        let index = texts.firstIndex { $0.place == place } ?? texts.count
        if index == texts.count { texts.append(Text(place: place)) }
        if let suffixes = texts[index].suffixes { return suffixes.finds(part, in: text) }
        texts[index].searches += 1
        guard texts[index].searches > Self.plainSearchesMax, text.count < Int(Int32.max) else {
            return text.holds(part)
        }
        let suffixes = SuffixArray(text)
        texts[index].suffixes = suffixes
        return suffixes.finds(part, in: text)
    }

    /// The parts of a length that a text has, made when they are first asked for.
    /// - Parameter facet: names text and length.
    mutating func parts(_ facet: UInt32, of text: UnsafeBufferPointer<UInt8>, length: Int) -> Parts {
        for index in 0..<parts.count where parts[index].facet == facet { return parts[index] }
        let count = text.count - length + 1
        var words = 16
        while words * 8 < count { words *= 2 }
        let made = Parts(
            facet: facet, start: bits.append(0, times: words), mask: UInt32(truncatingIfNeeded: words * 64 - 1))
        for start in 0..<count {
            let key = Gram.key(UnsafeBufferPointer(rebasing: text[start..<start + length])) & made.mask
            bits.base[made.start + Int(key >> 6)] |= 1 << UInt64(key & 63)
        }
        parts.append(made)
        return made
    }

    /// Returns true if a part of a key may be among these.
    @inline(__always) func has(_ key: UInt32, _ parts: Parts) -> Bool {
        let place = key & parts.mask
        return bits.base[parts.start + Int(place >> 6)] >> UInt64(place & 63) & 1 == 1
    }
}
