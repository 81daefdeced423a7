/// The reason why a key ring was not read or not kept.
package enum KeyRingError: Error, Equatable {
    /// There is no file of that name: make a ring and save it.
    case missing(file: String)
    /// The file cannot be read or written; the system's reason.
    case inaccessible(file: String, action: String, reason: String)
    /// The file has another key for identifiers than the ring before: it is another service's.
    case otherIdentifiers(file: String)
    /// A malformed file: the line and the error. The message shows nothing of the bytes.
    case malformed(line: Int, String)
}

extension KeyRingError: CustomStringConvertible {
    /// One sentence.
    package var description: String {
        switch self {
        case .missing(let file): "there is no key file \(file); make one, or name the one to use"
        case .inaccessible(let file, let action, let reason): "cannot \(action) the key file \(file): \(reason)"
        case .otherIdentifiers(let file):
            "the key file \(file) has another identifier-key than before; restart the service if that is intended"
        case .malformed(let line, let reason): "the key file's line \(line) \(reason)"
        }
    }
}
