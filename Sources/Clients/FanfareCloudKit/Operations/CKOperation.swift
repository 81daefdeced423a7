public import Foundation
import Synchronization

// What can change is guarded; CloudKit declares the class the same way, and Foundation's Operation is one already.
/// Work that is put into a queue: CloudKit's operations, with blocks that are called one after the other. Apps derive
/// classes from them, as from CloudKit's.
open class CKOperation: Operation, @unchecked Sendable {
    private enum Phase {
        case waiting, running, done
    }

    private struct State {
        var phase = Phase.waiting
        var task: Task<Void, Never>?
    }

    /// Runs operations that a database or a container was given.
    static let queue = OperationQueue()

    /// The patience of the operation; setting it keeps a copy.
    open var configuration: Configuration! {
        get { ownConfiguration }
        set { ownConfiguration = Configuration(newValue?.patience ?? Patience()) }
    }
    @CKGuarded private var ownConfiguration = Configuration()
    /// The group that the operation belongs to, for people.
    @CKGuarded open var group: CKOperationGroup? = nil
    /// The configuration of the database or container that the operation was added to.
    @CKGuarded var defaults: Patience? = nil
    /// A name of the operation.
    public let operationID: ID = UUID().uuidString
    /// Never called here: an operation ends with its program.
    @CKBlock open var longLivedOperationWasPersistedBlock: (() -> Void)? = nil
    private let state = Mutex(State())

    /// The container in which the work is done.
    var ownContainer: CKContainer { resolved.container ?? .default() }

    /// The configuration with what the group and the database add to it.
    private var resolved: Patience {
        ownConfiguration.patience.over(group?.defaultConfiguration.patience, defaults)
    }

    /// Does the work and calls the blocks, also when the operation was cancelled.
    func run() async {}

    // MARK: Operation

    /// True: no thread waits for the operation.
    open override var isAsynchronous: Bool { true }
    /// True while it works.
    open override var isExecuting: Bool { state.withLock { $0.phase == .running } }
    /// True when all blocks were called.
    open override var isFinished: Bool { state.withLock { $0.phase == .done } }

    /// Begins the operation: a queue calls it, and it calls `main`.
    open override func start() {
        move(to: .running)
        main()
    }

    /// Begins the work, which goes on after it has returned. A subclass sets what it needs before it calls this of its
    /// superclass; without that call the operation does not end.
    open override func main() {
        let resolved = resolved
        let task = Task(priority: resolved.priority ?? priority) { [self] in
            await CallSettings.$requestSeconds.withValue(resolved.requestLimit) {
                try? await resolved.limited { await self.run() }
            }
            move(to: .done)
        }
        state.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Ends the work as soon as it can; its blocks are called with `operationCancelled`.
    open override func cancel() {
        super.cancel()
        state.withLock { $0.task }?.cancel()
    }

    /// The priority by Foundation's own property.
    private var priority: TaskPriority {
        switch qualityOfService {
        case .userInteractive, .userInitiated: .high
        case .utility: .utility
        case .background: .background
        default: .medium
        }
    }

    private func move(to phase: Phase) {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        state.withLock { $0.phase = phase }
        didChangeValue(for: \.isExecuting)
        didChangeValue(for: \.isFinished)
    }
}

// What can change is guarded; CloudKit declares the class the same way.
/// Operations that belong together, for people.
public final class CKOperationGroup: NSObject, @unchecked Sendable {
    /// A name of the group.
    public let operationGroupID = UUID().uuidString
    /// A name for people.
    @CKGuarded public var name: String? = nil
    /// The patience of operations that have none of their own; setting it keeps a copy.
    public var defaultConfiguration: CKOperation.Configuration! {
        get { ownConfiguration }
        set { ownConfiguration = CKOperation.Configuration(newValue?.patience ?? Patience()) }
    }
    @CKGuarded private var ownConfiguration = CKOperation.Configuration()
    /// The number of the app's things that are moved, for people.
    @CKGuarded public var quantity = 0
    /// A hint of the size of the requests; it has no effect here.
    @CKGuarded public var expectedSendSize = TransferSize.unknown
    /// A hint of the size of the answers; it has no effect here.
    @CKGuarded public var expectedReceiveSize = TransferSize.unknown
}

// What can change is guarded, as in the class above it.
/// An operation in a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database; nil is the private one of the operation's container.
    @CKGuarded open var database: CKDatabase? = nil

    /// The database in which the work is done.
    var target: CKDatabase { database ?? ownContainer.privateCloudDatabase }
}

extension CKOperation {
    /// The error with the errors of several items, for blocks of CloudKit's older form. Result blocks get only errors
    /// of the whole operation, and each item's block gets its own. Nil without any.
    static func failure(_ errors: [(id: any Hashable & Sendable, error: any Error)]) -> CKError? {
        errors.isEmpty ? nil : CKError.partialFailure(errors)
    }

    /// A result without a value.
    static func result(_ error: CKError?) -> Result<Void, any Error> { error.map { .failure($0) } ?? .success(()) }
}
