/// Reads the binary form of COPY, which comes in chunks that may be cut anywhere.
///
/// The form: a signature, flags, an extension of a given length; then rows of a count of columns in two bytes and the
/// columns, each after its length; then -1 instead of a count.
struct CopyTuples {
    static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0x00]

    /// The most bytes of one row.
    private let rowBytesMaximum: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasHeader = false
    /// True once the end was read.
    private(set) var isComplete = false

    init(rowBytesMaximum: Int) { self.rowBytesMaximum = rowBytesMaximum }

    /// Adds a chunk.
    mutating func append(_ chunk: UnsafeRawBufferPointer) throws(UnexpectedValue) {
        guard !isComplete || chunk.isEmpty else { throw UnexpectedValue("bytes behind the end of a copy") }
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer += chunk
    }

    /// The next row; nil if more bytes are needed, or at the end.
    mutating func next() throws(UnexpectedValue) -> PostgreSQLCopyRow? {
        if !hasHeader { try readHeader() }
        guard hasHeader, !isComplete else { return nil }
        guard let end = try endOfRow() else {
            guard buffer.count - start <= rowBytesMaximum else { throw UnexpectedValue("a row that is too large") }
            return nil
        }
        guard let columns = end.columns else {
            isComplete = true
            guard end.offset == buffer.count else { throw UnexpectedValue("bytes behind the end of a copy") }
            start = buffer.count
            return nil
        }
        defer { start = end.offset }
        return PostgreSQLCopyRow(bytes: Array(buffer[start..<end.offset]), columns: columns)
    }

    private mutating func readHeader() throws(UnexpectedValue) {
        let known = zip(buffer, Self.signature).allSatisfy { $0 == $1 }
        guard known else { throw UnexpectedValue("a copy that is not in binary form") }
        let fixed = Self.signature.count + 8
        guard buffer.count >= fixed else { return }
        let flags = integer(at: Self.signature.count, bytes: 4)
        let length = Int(integer(at: Self.signature.count + 4, bytes: 4))
        // The upper half of the flags changes the form.
        guard flags & 0xffff_0000 == 0 else { throw UnexpectedValue("a copy of another version") }
        guard length <= rowBytesMaximum else { throw UnexpectedValue("a header of \(length) bytes") }
        guard buffer.count >= fixed + length else { return }
        start = fixed + length
        hasHeader = true
    }

    /// The end of the row at `start`, with the places of its columns in it, nil at the end of the copy; nil if more
    /// bytes are needed.
    private func endOfRow() throws(UnexpectedValue) -> (offset: Int, columns: [Range<Int>?]?)? {
        guard buffer.count - start >= 2 else { return nil }
        let count = Int(Int16(truncatingIfNeeded: integer(at: start, bytes: 2)))
        var offset = start + 2
        if count == -1 { return (offset, nil) }
        guard count >= 0 else { throw UnexpectedValue("a row of \(count) columns") }
        var columns: [Range<Int>?] = []
        for _ in 0..<count {
            guard buffer.count - offset >= 4 else { return nil }
            let length = Int(Int32(truncatingIfNeeded: integer(at: offset, bytes: 4)))
            offset += 4
            if length == -1 {
                columns.append(nil)
                continue
            }
            guard length >= 0, length <= rowBytesMaximum else { throw UnexpectedValue("a column of \(length) bytes") }
            guard buffer.count - offset >= length else { return nil }
            columns.append(offset - start..<offset - start + length)
            offset += length
        }
        return (offset, columns)
    }

    private func integer(at offset: Int, bytes: Int) -> UInt32 {
        buffer[offset..<offset + bytes].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// A row of a copy. Its values have no types but those that they are read as.
package struct PostgreSQLCopyRow: PostgreSQLFields, Sendable {
    let bytes: [UInt8]
    let columns: [Range<Int>?]

    package var columnCount: Int { columns.count }

    package func withColumn<Result>(
        _ column: Int, _ body: (UnsafeRawBufferPointer?, UInt32?) throws -> Result
    ) throws -> Result {
        guard columns.indices.contains(column) else {
            throw PostgreSQLError(.unexpectedValue, "the row has no such column", attempt: "read column \(column)")
        }
        guard let place = columns[column] else { return try body(nil, nil) }
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[place]), nil) }
    }
}
