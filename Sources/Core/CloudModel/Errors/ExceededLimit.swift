/// A limit that refused an operation, as docs/limits.md has it.
package struct ExceededLimit: Hashable, Sendable {
    /// The subject of a limit: it decides what a client can do about it.
    package enum Subject: String, Sendable {
        /// One request, record or subscription: a smaller one may succeed.
        case request
        /// The storage of a user or of all: there is room once something was deleted.
        case storage
    }

    /// The name, such as `movedBytesMax`.
    package var name: String
    package var value: Int64
    package var subject: Subject

    package init(_ name: String, _ value: some BinaryInteger, of subject: Subject = .request) {
        self.name = name
        self.value = Int64(value)
        self.subject = subject
    }
}
