/// A limit that refused an operation, as docs/limits.md has it.
package struct ExceededLimit: Hashable, Sendable {
    /// The subject of a limit: it decides what a client can do about it.
    package enum Subject: String, Sendable {
        /// One request, record or subscription: a smaller one may succeed.
        case request
        /// The number of things that are kept, such as zones or subscriptions: there is room once some were deleted.
        case number
        /// The volume that a user, or all, may store: there is room once something was deleted.
        case storage
    }

    /// The name, such as `movedBytesMax`.
    package var name: String
    package var value: Int64
    package var subject: Subject

    /// True for a limit of all operations of a request together, though it fails one of them: fewer may succeed.
    package var isOfWholeRequest: Bool {
        ["atomicBytesMax", "movedBytesMax", "lookupBytesMax", "cascadedDeletionsMax"].contains(name)
    }

    package init(_ name: String, _ value: some BinaryInteger, of subject: Subject = .request) {
        self.name = name
        self.value = Int64(value)
        self.subject = subject
    }
}
