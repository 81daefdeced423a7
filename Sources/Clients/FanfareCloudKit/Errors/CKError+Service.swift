import CloudModel
import Foundation
import JSON

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CKError {
    /// CloudKit's error of what a request threw.
    init(_ error: any Error) {
        switch error {
        case let error as CKError: self = error
        case let error as FanfareError: self.init(error, ofItem: false)
        case is CancellationError: self.init(.operationCancelled, "the task was cancelled")
        case let error as URLError where Self.unreachable.contains(error.code):
            self.init(.networkUnavailable, details: Details(reason: "\(error)", underlying: error))
        case let error as URLError where error.code == .cancelled:
            self.init(.operationCancelled, "the request was cancelled")
        case is JSONError:
            self.init(.internalError, details: Details(reason: "the answer is no JSON: \(error)", underlying: error))
        default: self.init(.networkFailure, details: Details(reason: "\(error)", underlying: error))
        }
    }

    /// CloudKit's error of a refusal, of a whole request or of one of its items.
    init(_ error: FanfareError, ofItem isItem: Bool) {
        let details = Details(
            reason: error.reason, retryAfterSeconds: error.retryAfterSeconds.map(Double.init),
            serverErrorCode: error.serverErrorCode, gap: error.gap, underlying: error)
        self.init(Self.code(of: error, isItem: isItem), details: details)
    }

    private static let unreachable: Set<URLError.Code> = [
        .notConnectedToInternet, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
    ]

    private static func code(of error: FanfareError, isItem: Bool) -> Code {
        switch error.code {
        case .accessDenied: .permissionFailure
        case .atomicError: .batchRequestFailed
        case .authenticationFailed, .authenticationRequired: .notAuthenticated
        case .badRequest: .invalidArguments
        case .changeTokenExpired: .changeTokenExpired
        case .exists where error.share != nil: .alreadyShared
        case .conflict, .exists: .serverRecordChanged
        case .internalError: .internalError
        case .notFound: isItem ? .unknownItem : .badContainer
        // CloudKit uses the one for a request to be divided, and the other for a full storage of the user.
        case .quotaExceeded: isFull(error, isItem: isItem) ? .quotaExceeded : .limitExceeded
        case .throttled: .requestRateLimited
        case .tryAgainLater: .serviceUnavailable
        case .validatingReferenceError: .referenceViolation
        case .zoneNotFound: .zoneNotFound
        case nil: error.status >= 500 ? .serviceUnavailable : .internalError
        }
    }

    /// True if storage is full; false if the request or one of its items is too large. A service that names no limit
    /// leaves it to the place of the error.
    private static func isFull(_ error: FanfareError, isItem: Bool) -> Bool {
        error.limit.map { $0.subject == .storage } ?? isItem
    }

    /// True if the same request may succeed when it is sent again.
    var isTransient: Bool {
        switch code {
        case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy: true
        // An answer that was cut or garbled on its way is no answer of the service's.
        case .internalError: serverErrorCode == nil
        default: false
        }
    }

    /// True if a request that failed so may have been done all the same.
    var mayHaveBeenDone: Bool { isTransient && code != .requestRateLimited && code != .networkUnavailable }
}
