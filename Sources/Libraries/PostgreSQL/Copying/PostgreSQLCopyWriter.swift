/// Takes the rows of a copy into the server and sends them in chunks.
package final class PostgreSQLCopyWriter {
    /// Bytes from which on a chunk is sent.
    private static let chunkBytes = 64 << 10

    private let send: ([UInt8]) throws -> Void
    private var chunk: [UInt8]

    init(_ send: @escaping ([UInt8]) throws -> Void) {
        self.send = send
        chunk = CopyTuples.signature
        chunk.append(bigEndian: Int64(0))
        chunk.reserveCapacity(Self.chunkBytes * 2)
    }

    /// Adds a row, and waits while the server has not taken the earlier ones.
    /// - Throws: the server's error; `misuse` for more columns or bytes than a row may have.
    package func write(_ values: [PostgreSQLValue]) throws {
        guard values.count <= Self.columnsMaximum else {
            throw PostgreSQLError(.misuse, "\(values.count) columns", attempt: "copy a row")
        }
        let start = chunk.count
        chunk.append(bigEndian: Int16(values.count))
        for value in values {
            value.appendWithLength(to: &chunk)
            guard chunk.count - start <= Self.rowBytesMaximum else {
                throw PostgreSQLError(.misuse, "a row of more than 1 GiB", attempt: "copy a row")
            }
        }
        if chunk.count >= Self.chunkBytes { try flush() }
    }

    /// Adds a row, as `write` does.
    package func write(_ values: PostgreSQLValue...) throws { try write(values) }

    /// The most columns of a table, and bytes of a row.
    private static let columnsMaximum = 1600
    private static let rowBytesMaximum = 1 << 30

    func end() throws {
        chunk.append(bigEndian: Int16(-1))
        try flush()
    }

    private func flush() throws {
        try send(chunk)
        chunk.removeAll(keepingCapacity: true)
    }
}
