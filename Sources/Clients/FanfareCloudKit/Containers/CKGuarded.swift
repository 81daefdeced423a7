import Synchronization

/// Storage of a variable that several threads may use at once, as CloudKit's classes allow. Each reading and each writing is
/// whole; two of them together are not.
@propertyWrapper
public final class CKGuarded<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    /// Storage that begins with a value.
    public init(wrappedValue: Value) { value = Mutex(wrappedValue) }

    /// The value.
    public var wrappedValue: Value {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
