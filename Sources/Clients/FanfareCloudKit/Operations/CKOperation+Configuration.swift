public import Foundation

extension CKOperation {
    /// The patience of an operation, or of the calls in a database. What is not set is taken from the operation's group, then
    /// from the database that it was added to, then from CloudKit's defaults.
    public struct Configuration: Sendable {
        private struct Given: Sendable {
            var container: CKContainer?
            var qualityOfService: QualityOfService?
            var allowsCellularAccess: Bool?
            var isLongLived: Bool?
            var requestSeconds: TimeInterval?
            var resourceSeconds: TimeInterval?
        }

        private var given = Given()

        /// CloudKit's defaults.
        public init() {}

        /// The container; nil is the default one.
        public var container: CKContainer? {
            get { given.container }
            set { given.container = newValue }
        }
        /// The importance, by which the system decides what comes first.
        public var qualityOfService: QualityOfService {
            get { given.qualityOfService ?? .default }
            set { given.qualityOfService = newValue }
        }
        /// Has no effect here: every network is used.
        public var allowsCellularAccess: Bool {
            get { given.allowsCellularAccess ?? true }
            set { given.allowsCellularAccess = newValue }
        }
        /// Has no effect here: an operation ends with its program.
        public var isLongLived: Bool {
            get { given.isLongLived ?? false }
            set { given.isLongLived = newValue }
        }
        /// The seconds that one request may take; 60 unless set.
        public var timeoutIntervalForRequest: TimeInterval {
            get { given.requestSeconds ?? 60 }
            set { given.requestSeconds = newValue }
        }
        /// The seconds that the whole operation may take; a week unless set.
        public var timeoutIntervalForResource: TimeInterval {
            get { given.resourceSeconds ?? 7 * 24 * 60 * 60 }
            set { given.resourceSeconds = newValue }
        }

        /// The configuration in which others fill what is not set, the first before the second.
        func over(_ others: Configuration?...) -> Configuration {
            var result = self
            for case let other? in others {
                result.given.container = result.given.container ?? other.given.container
                result.given.qualityOfService = result.given.qualityOfService ?? other.given.qualityOfService
                result.given.allowsCellularAccess =
                    result.given.allowsCellularAccess ?? other.given.allowsCellularAccess
                result.given.isLongLived = result.given.isLongLived ?? other.given.isLongLived
                result.given.requestSeconds = result.given.requestSeconds ?? other.given.requestSeconds
                result.given.resourceSeconds = result.given.resourceSeconds ?? other.given.resourceSeconds
            }
            return result
        }

        /// The priority of the tasks that do the work; nil leaves it to the caller's.
        var priority: TaskPriority? {
            switch given.qualityOfService {
            case .userInteractive, .userInitiated: .high
            case .utility: .utility
            case .background: .background
            case .default: .medium
            default: nil
            }
        }

        /// Does work that is cancelled when it takes longer than the whole may.
        /// - Throws: what the work throws.
        func limited<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
            let seconds = timeoutIntervalForResource
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask(priority: priority) { try await work() }
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    return nil
                }
                defer { group.cancelAll() }
                if let value = try await group.next() ?? nil { return value }
                group.cancelAll()
                // The work ends as soon as it can, by itself or by the cancellation.
                guard let value = try await group.next() ?? nil else {
                    throw CKError(.operationCancelled, "it took longer than \(seconds) s")
                }
                return value
            }
        }
    }
}
