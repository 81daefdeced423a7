import Foundation
import Synchronization

/// The smallest stack that work on foreign input may run on: that of a thread which was made without a word on it.
package enum SmallStack {
    /// Bytes of the stack.
    package static let bytes = 512 << 10

    /// Runs `body` on a thread of that stack, and comes back with what it made.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let result = SmallStackResult<Value>()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let value = body()
            result.value.withLock { $0 = value }
            done.signal()
        }
        thread.stackSize = bytes
        thread.start()
        done.wait()
        return result.value.withLock { $0! }
    }
}

/// What the thread leaves behind.
private final class SmallStackResult<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
