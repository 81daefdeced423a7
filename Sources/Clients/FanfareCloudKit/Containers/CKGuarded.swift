import Synchronization

/// Storage of a variable that several threads may use at once, as CloudKit's classes allow. Each read and each write is
/// atomic; a read followed by a write is not.
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
