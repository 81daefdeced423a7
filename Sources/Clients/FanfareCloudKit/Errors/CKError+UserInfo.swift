import Foundation

/// The domain of CloudKit's errors.
public let CKErrorDomain = "CKErrorDomain"
/// The key of the seconds to wait before the same request.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// The key of an operation's errors by item.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// The key of the version that a conflict's changes began from.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// The key of the service's version in a conflict.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// The key of the app's version in a conflict.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// The key that CloudKit sets when a zone was lost with a user's keys; never set here.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

extension CKError {
    /// The parts by CloudKit's keys.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        if let text = errorDescription { info[NSLocalizedDescriptionKey] = text }
        if let seconds = retryAfterSeconds { info[CKErrorRetryAfterKey] = NSNumber(value: seconds) }
        if let errors = partialErrorsByItemID { info[CKPartialErrorsByItemIDKey] = errors }
        if let record = serverRecord { info[CKRecordChangedErrorServerRecordKey] = record }
        if let record = clientRecord { info[CKRecordChangedErrorClientRecordKey] = record }
        if let record = ancestorRecord { info[CKRecordChangedErrorAncestorRecordKey] = record }
        if let error = details.underlying { info[NSUnderlyingErrorKey] = error }
        return info
    }

    /// The same as `errorUserInfo`.
    public var userInfo: [String: Any] { errorUserInfo }
}

extension CKError.Code {
    /// Matches an error by its code, as in `catch CKError.unknownItem`.
    public static func ~= (match: CKError.Code, error: any Error) -> Bool { (error as? CKError)?.code == match }
}
