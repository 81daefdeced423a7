public import Foundation

/// An error of CloudKit: a code, and its details in `userInfo`.
public struct CKError: CustomNSError, LocalizedError, Sendable {
    /// The parts of an error that `userInfo` shows.
    struct Details: Sendable {
        var reason = ""
        var retryAfterSeconds: Double?
        var partialErrors: [PartialError]?
        var serverRecord: CKRecord?
        var clientRecord: CKRecord?
        var ancestorRecord: CKRecord?
        /// The service's code as it was sent.
        var serverErrorCode: String?
        /// The notifications that an expired token cannot bring any more.
        var gap: FanfareGap?
        var underlying: (any Error)?
    }

    /// The error of one item of an operation.
    struct PartialError: Sendable {
        var itemID: any Hashable & Sendable
        var error: any Error
    }

    /// The code, by which programs decide.
    public let code: Code
    let details: Details

    init(_ code: Code, details: Details) {
        self.code = code
        self.details = details
    }

    init(_ code: Code, _ reason: String) { self.init(code, details: Details(reason: reason)) }

    /// An error as tests of apps make it; entries of `userInfo` with CloudKit's keys are kept.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        var details = Details()
        details.reason = Self.reason(of: userInfo[NSLocalizedDescriptionKey] as? String ?? "", code: code)
        details.retryAfterSeconds = (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue
        details.serverRecord = userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
        details.clientRecord = userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
        details.ancestorRecord = userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
        details.underlying = userInfo[NSUnderlyingErrorKey] as? any Error
        if let service = details.underlying as? FanfareError {
            details.serverErrorCode = service.serverErrorCode
            details.gap = service.gap
        }
        details.partialErrors = (userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error])?.compactMap {
            item in
            Self.itemID(item.key).map { PartialError(itemID: $0, error: item.value) }
        }
        self.init(code, details: details)
    }

    /// The reason in a description, which begins with the code where the library wrote it.
    private static func reason(of description: String, code: Code) -> String {
        if description == "\(code)" { return "" }
        let prefix = "\(code): "
        return description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
    }

    private static func itemID(_ key: AnyHashable) -> (any Hashable & Sendable)? {
        switch key.base {
        case let id as CKRecord.ID: id
        case let id as CKRecordZone.ID: id
        case let id as String: id
        case let id as URL: id
        case let id as CKUserIdentity.LookupInfo: id
        default: nil
        }
    }

    /// The error of an `NSError` of CloudKit's domain; `as? CKError` makes the same of it.
    public init(_nsError error: NSError) {
        self.init(Code(rawValue: error.code) ?? .internalError, userInfo: error.userInfo)
    }

    /// The error of several items: some or all of them failed. Its text has the first of them.
    static func partialFailure(_ errors: [(id: any Hashable & Sendable, error: any Error)]) -> CKError {
        let first = errors.first.map { ", the first: \($0.id): \($0.error.localizedDescription)" } ?? ""
        return CKError(
            .partialFailure,
            details: Details(
                reason: "items that failed: \(errors.count)\(first)",
                partialErrors: errors.map { PartialError(itemID: $0.id, error: $0.error) }))
    }

    // MARK: Parts

    /// The errors of an operation's items by their `CKRecord.ID`, `CKRecordZone.ID` or name; nil with other codes than
    /// `partialFailure`.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        details.partialErrors.map { errors in
            Dictionary(errors.map { (AnyHashable($0.itemID), $0.error) }) { first, _ in first }
        }
    }

    /// The seconds after which the same request may succeed; nil where the service says none.
    public var retryAfterSeconds: Double? { details.retryAfterSeconds }

    /// The service's version of the record that a conflict is about.
    public var serverRecord: CKRecord? { details.serverRecord }

    /// The version of a conflict's record that the app wanted to save.
    public var clientRecord: CKRecord? { details.clientRecord }

    /// The version of a conflict's record that the app had fetched and changed.
    public var ancestorRecord: CKRecord? { details.ancestorRecord }

    /// The notifications that an expired token cannot bring any more, as far as the service knows; not in CloudKit.
    public var gap: FanfareGap? { details.gap }

    /// The service's own code, such as `CONFLICT`; nil for errors of the client. Not in CloudKit.
    public var serverErrorCode: String? { details.serverErrorCode }

    // MARK: CustomNSError and LocalizedError

    /// The domain of CloudKit's errors.
    public static var errorDomain: String { CKErrorDomain }

    /// The code's number.
    public var errorCode: Int { code.rawValue }

    /// A text for developers: the attempt and the remedy.
    public var errorDescription: String? { details.reason.isEmpty ? "\(code)" : "\(code): \(details.reason)" }

    /// A text for developers.
    public var localizedDescription: String { errorDescription ?? "\(code)" }
}

extension CKError: CustomStringConvertible {
    /// The code with its number and the reason.
    public var description: String { "CKError \(code.rawValue), \(localizedDescription)" }
}
