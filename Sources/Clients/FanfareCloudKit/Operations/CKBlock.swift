import Foundation

// The place of the block is behind the lock. The block itself is the app's, and not @Sendable, as CloudKit declares it.
/// Storage of a block that an operation calls. As in CloudKit, a block may change state of its app: an operation calls
/// its blocks one after the other, and none after the completion block.
@propertyWrapper public final class CKBlock<Block>: @unchecked Sendable {
    private let lock = NSLock()
    private var block: Block?

    /// Storage that begins with a block.
    public init(wrappedValue: Block?) { block = wrappedValue }

    /// The block.
    public var wrappedValue: Block? {
        get { lock.withLock { block } }
        set { lock.withLock { block = newValue } }
    }
}
