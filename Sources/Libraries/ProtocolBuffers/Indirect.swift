/// Holds a message of a type that contains itself behind a reference, as a struct cannot hold its own kind.
///
/// It is a value all the same; an absent message costs no allocation.
@propertyWrapper
public struct Indirect<Value: Sendable & Equatable>: Sendable, Equatable {
    private enum Storage: Sendable, Equatable {
        case absent
        indirect case present(Value)
    }

    private var storage: Storage

    /// The message, or nil.
    public var wrappedValue: Value? {
        get {
            if case .present(let value) = storage { value } else { nil }
        }
        set { storage = newValue.map(Storage.present) ?? .absent }
    }

    /// Wraps a message, or none.
    public init(wrappedValue: Value? = nil) {
        storage = wrappedValue.map(Storage.present) ?? .absent
    }
}
