import CloudModel
import RecordStore
import SQLite

extension StoreError {
    /// The decision that a failure of SQLite asks for, by its result code (https://sqlite.org/rescode.html).
    init(_ error: SQLiteError) {
        let text = "\(error)"
        switch error.primaryCode {
        // BUSY and LOCKED: another connection holds a lock for longer than the busy timeout. MISUSE: the library's own
        // word for a connection that was closed.
        case 5, 6, 21: self = .unavailable(text)
        case 13: self = .full(text)
        case 19: self = .refused(text)
        // CORRUPT, NOTADB.
        case 11, 26: self = .unreadable(text)
        default: self = .failed(text)
        }
    }

    /// Runs a call of the port, and turns what SQLite throws in it into the port's errors.
    static func mapping<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as SQLiteError {
            throw StoreError(error)
        } catch is SQLiteBytesExceeded {
            throw CloudError.exceeded(
                ExceededLimit("storeBytesMax", Limits.storeBytesMax),
                "the request would move more than \(Limits.storeBytesMax) bytes in the store; divide it")
        }
    }
}
