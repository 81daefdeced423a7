import Synchronization

/// Something that comes in parts, from tasks or blocks.
final class Collected<Value: Sendable>: Sendable {
    private let parts: Mutex<Value>

    init(_ value: Value) { parts = Mutex(value) }

    var value: Value { parts.withLock { $0 } }

    func update(_ change: @Sendable (inout Value) -> Void) { parts.withLock { change(&$0) } }

    func updated<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        parts.withLock { change(&$0) }
    }
}
