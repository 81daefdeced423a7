/// A failure of SQLite: the statement, and SQLite's message.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, such as 2067 for a broken UNIQUE constraint.
    package let code: Int32
    /// SQLite's message.
    package let message: String
    /// The statement, or what else was attempted.
    package let attempt: String

    package init(code: Int32, message: String, attempt: String) {
        self.code = code
        self.message = message
        self.attempt = attempt
    }

    /// SQLite's primary result code: the low byte of `code`.
    package var primaryCode: Int32 { code & 0xff }
    /// Indicates whether a constraint refused the change.
    package var isConstraint: Bool { primaryCode == 19 }
    /// Indicates whether the disk is full: nothing can be written until space is made.
    package var isFull: Bool { primaryCode == 13 }

    package var description: String { "SQLite: \(message) (code \(code)) in: \(attempt)" }
}
