/// A failure of a store. The case decides the reaction; the text, for the log, names the attempt.
package enum StoreError: Error, Hashable, Sendable {
    /// Busy, locked, unreachable or closing: nothing was changed, and the same call may succeed later.
    case unavailable(String)
    /// No space is left: nothing was changed, and nothing will be until an operator makes room.
    case full(String)
    /// Another process owns the store: stop that one first.
    case owned(String)
    /// The change contradicts the store's contents (a key that is taken, a row that is missing): a fault of the caller.
    case refused(String)
    /// The contents are damaged, or of a format that this version does not read.
    case unreadable(String)
    /// Any other failure of the backend: a fault of the service or of its machine.
    case failed(String)
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let text), .full(let text), .owned(let text), .refused(let text), .unreadable(let text),
            .failed(let text):
            text
        }
    }
}
