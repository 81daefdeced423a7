import Foundation
import Timing

/// The values of a configuration; nil is not set.
struct Patience: Sendable, Equatable {
    var container: CKContainer?
    var qualityOfService: QualityOfService?
    var allowsCellularAccess: Bool?
    var isLongLived: Bool?
    var requestSeconds: TimeInterval?
    var resourceSeconds: TimeInterval?

    /// The seconds that one request may take.
    var requestLimit: TimeInterval { requestSeconds ?? 60 }
    /// The seconds that the whole may take.
    var resourceLimit: TimeInterval { resourceSeconds ?? 7 * 24 * 60 * 60 }

    /// These values with unset ones filled from others, the first before the second.
    func over(_ others: Patience?...) -> Patience {
        var result = self
        for case let other? in others {
            result.container = result.container ?? other.container
            result.qualityOfService = result.qualityOfService ?? other.qualityOfService
            result.allowsCellularAccess = result.allowsCellularAccess ?? other.allowsCellularAccess
            result.isLongLived = result.isLongLived ?? other.isLongLived
            result.requestSeconds = result.requestSeconds ?? other.requestSeconds
            result.resourceSeconds = result.resourceSeconds ?? other.resourceSeconds
        }
        return result
    }

    /// The priority of the tasks that do the work; nil leaves it to the caller's.
    var priority: TaskPriority? {
        switch qualityOfService {
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
        let seconds = resourceLimit
        guard let value = try await Time.race(within: .seconds(seconds), priority: priority, work) else {
            throw CKError(.operationCancelled, "it took longer than \(seconds) s")
        }
        return value
    }
}
