/// Counts the bytes that the statements of a connection move: texts and blobs that are bound and read, and a price for
/// each row. Not `Sendable`, like the connection.
package final class MovedBytes {
    /// The price of a row, in bytes: a row of an index costs about as much time as so many bytes of a body (some 5 µs;
    /// docs/decisions/0030).
    package static let ofRow = 256

    /// The bytes since the connection was opened.
    package internal(set) var count = 0
    private var limit = Int.max

    /// Counts what else costs time, such as words that SQLite cuts a text into.
    /// - Throws: `SQLiteBytesExceeded`.
    package func add(_ bytes: Int) throws {
        count += bytes
        if count > limit { throw SQLiteBytesExceeded() }
    }

    /// Runs work that may move so many bytes at most: further steps of statements throw `SQLiteBytesExceeded`.
    /// - Parameter bytesMax: nil for any number.
    package func limiting<Result>(to bytesMax: Int?, _ work: () throws -> Result) rethrows -> Result {
        guard let bytesMax else { return try work() }
        limit = bytesMax > .max - count ? .max : count + bytesMax
        defer { limit = .max }
        return try work()
    }
}

/// The work of a closure would move more bytes than it may.
package struct SQLiteBytesExceeded: Error {}
