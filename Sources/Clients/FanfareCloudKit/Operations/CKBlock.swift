import Foundation

// The place of the block is behind the lock. The block itself is the app's, and not @Sendable, as CloudKit declares it.
/// Storage of a block that an operation calls. As in CloudKit it may change what its app gathers in it: an operation calls its
/// blocks one after the other, and none once the one of the end was called.
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
