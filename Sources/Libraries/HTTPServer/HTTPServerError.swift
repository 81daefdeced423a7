/// The reason why a server could not start; the text says what to do.
package struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of causes.
    package enum Kind: Sendable, Equatable {
        case configuration
        case address
        case portInUse
        case certificate
        case resources
    }

    /// The kind, for deciding.
    package var kind: Kind
    /// A text for operators: the attempt, the system's error, and the remedy.
    package var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
