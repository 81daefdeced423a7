/// The programs of all subscriptions after their first words, which are in the entries.
struct ProgramStore: ~Copyable {
    private var code: BlockArena<UInt64>

    init() { code = BlockArena(filler: 0) }

    func write(to writer: inout ImageWriter) { code.write(to: &writer) }

    init(from reader: inout ImageReader) throws { code = try BlockArena(from: &reader, filler: 0) }

    /// Bytes that the programs take.
    var bytes: Int { code.bytes }

    /// Stores the words after the first of a program; returns their position, 0 if there are none.
    mutating func keep(_ words: ArraySlice<UInt64>) -> UInt32 {
        if words.isEmpty { return 0 }
        let start = code.allocate(words.count)
        for (offset, word) in words.enumerated() { code.base[Int(start) + offset] = word }
        return start
    }

    /// Gives back the words at a place.
    mutating func release(_ start: UInt32, count: Int) {
        if count > 0 { code.release(start, count: count) }
    }

    /// The words that follow the first one of a program, by their place.
    @inline(__always) func rest(_ start: UInt32) -> UnsafeMutablePointer<UInt64> { code.base + Int(start) }
}
