/// Writes values without references one after the other, as they lie in memory.
struct ImageWriter {
    private(set) var pieces: [[UInt8]] = []

    mutating func write<Value: BitwiseCopyable>(_ value: Value) {
        withUnsafeBytes(of: value) { write(bytes: $0) }
    }

    /// Writes a row behind its length.
    mutating func write<Element: BitwiseCopyable>(row: [Element]) {
        write(row.count)
        row.withUnsafeBytes { write(bytes: $0) }
    }

    /// Writes rows under numbers.
    mutating func write(rows: [UInt32: [UInt32]]) {
        write(rows.count)
        for (number, row) in rows {
            write(number)
            write(row: row)
        }
    }

    /// Writes bytes without their length.
    mutating func write(bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if pieces.last.map({ $0.count == IndexImage.pieceBytesMax }) ?? true {
                pieces.append([])
                // At once for large ones: an array that grows is copied.
                pieces[pieces.count - 1].reserveCapacity(rest.count > 4096 ? IndexImage.pieceBytesMax : 4096)
            }
            let part = rest.prefix(IndexImage.pieceBytesMax - pieces[pieces.count - 1].count)
            pieces[pieces.count - 1].append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
    }
}
