public import Foundation
import Synchronization

// What can change is guarded; CloudKit declares the class the same way, and Foundation's Operation is one already.
/// Work that is put into a queue: CloudKit's operations, with blocks that are called one after the other.
public class CKOperation: Operation, @unchecked Sendable {
    /// The patience of an operation.
    public struct Configuration: Sendable {
        /// The container; nil is the default one.
        public var container: CKContainer?
        /// The importance, by which the system decides what comes first.
        public var qualityOfService = QualityOfService.default
        /// Has no effect here: every network is used.
        public var allowsCellularAccess = true
        /// Has no effect here: an operation ends with its program.
        public var isLongLived = false
        /// The seconds that one request may take.
        public var timeoutIntervalForRequest: TimeInterval = 60
        /// The seconds that the whole operation may take.
        public var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60

        /// CloudKit's defaults.
        public init() {}
    }

    private enum Phase {
        case waiting, running, done
    }

    private struct State {
        var phase = Phase.waiting
        var task: Task<Void, Never>?
    }

    /// Runs operations that a database or a container was given.
    static let queue = OperationQueue()

    /// The patience of the operation.
    @CKGuarded public var configuration: Configuration! = Configuration()
    /// The group that the operation belongs to, for people.
    @CKGuarded public var group: CKOperationGroup? = nil
    /// A name of the operation.
    public let operationID = UUID().uuidString
    private let state = Mutex(State())

    /// The container of the operation.
    var container: CKContainer { configuration?.container ?? .default() }

    /// Does the work and calls the blocks, also when the operation was cancelled.
    func run() async {}

    // MARK: Operation

    /// True: no thread waits for the operation.
    public override var isAsynchronous: Bool { true }
    /// True while it works.
    public override var isExecuting: Bool { state.withLock { $0.phase == .running } }
    /// True when all blocks were called.
    public override var isFinished: Bool { state.withLock { $0.phase == .done } }

    /// Begins the work; a queue calls it.
    public override func start() {
        move(to: .running)
        let settings = CallSettings(requestSeconds: configuration?.timeoutIntervalForRequest)
        let seconds = configuration?.timeoutIntervalForResource ?? 0
        let task = Task(priority: priority) { [self] in
            await CallSettings.$current.withValue(settings) { await Self.limited(seconds) { await self.run() } }
            move(to: .done)
        }
        state.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Ends the work as soon as it can; its blocks are called with `operationCancelled`.
    public override func cancel() {
        super.cancel()
        state.withLock { $0.task }?.cancel()
    }

    private var priority: TaskPriority {
        switch configuration?.qualityOfService ?? .default {
        case .userInteractive, .userInitiated: .high
        case .utility: .utility
        case .background: .background
        default: .medium
        }
    }

    /// Cancels work that takes longer than it may.
    private static func limited(_ seconds: TimeInterval, _ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await work()
                return true
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return false
            }
            _ = await group.next()
            group.cancelAll()
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
    /// The patience of operations that have none of their own; it has no effect here.
    @CKGuarded public var defaultConfiguration: CKOperation.Configuration! = CKOperation.Configuration()
    /// A guess at what is received; it has no effect here.
    @CKGuarded public var quantity = 0
}

// What can change is guarded, as in the class above it.
/// An operation in a database.
public class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database; nil is the private one of the operation's container.
    @CKGuarded public var database: CKDatabase? = nil

    /// The database in which the work is done.
    var target: CKDatabase { database ?? container.privateCloudDatabase }
}

extension CKOperation {
    /// The error that tells of several items; nil without any.
    static func failure(_ errors: [(id: any Hashable & Sendable, error: any Error)]) -> CKError? {
        errors.isEmpty ? nil : CKError.partialFailure(errors)
    }

    /// A result without a value.
    static func result(_ error: CKError?) -> Result<Void, any Error> { error.map { .failure($0) } ?? .success(()) }
}
