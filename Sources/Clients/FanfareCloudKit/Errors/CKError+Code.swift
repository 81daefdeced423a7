extension CKError {
    /// CloudKit's codes, by its numbers.
    public enum Code: Int, Sendable, CaseIterable {
        /// A fault of the service's, or an answer that cannot be read.
        case internalError = 1
        /// Some items of an operation failed.
        case partialFailure = 2
        /// The service cannot be reached.
        case networkUnavailable = 3
        /// The connection failed.
        case networkFailure = 4
        /// The container is not known, or not configured.
        case badContainer = 5
        /// The service cannot answer now.
        case serviceUnavailable = 6
        /// Too many requests.
        case requestRateLimited = 7
        /// The app may not use CloudKit; never returned here.
        case missingEntitlement = 8
        /// No user is signed in, or no longer.
        case notAuthenticated = 9
        /// The user may not do that.
        case permissionFailure = 10
        /// There is no such item.
        case unknownItem = 11
        /// The request cannot be done as it is given.
        case invalidArguments = 12
        /// Deprecated by CloudKit; never returned here.
        case resultsTruncated = 13
        /// Somebody changed the record meanwhile.
        case serverRecordChanged = 14
        /// The service refuses the request; never returned here.
        case serverRejectedRequest = 15
        /// A file to upload is not there.
        case assetFileNotFound = 16
        /// A file changed while it was uploaded.
        case assetFileModified = 17
        /// The app is too old; never returned here.
        case incompatibleVersion = 18
        /// A unique field has the value already; never returned here.
        case constraintViolation = 19
        /// The operation was cancelled.
        case operationCancelled = 20
        /// The change token is too old: begin without one.
        case changeTokenExpired = 21
        /// Another item of an atomic request failed.
        case batchRequestFailed = 22
        /// The zone is busy; never returned here.
        case zoneBusy = 23
        /// The database cannot do that.
        case badDatabase = 24
        /// The user's storage or another quota is full.
        case quotaExceeded = 25
        /// There is no such zone.
        case zoneNotFound = 26
        /// The request is too large: divide it.
        case limitExceeded = 27
        /// The user deleted the zone; never returned here.
        case userDeletedZone = 28
        /// A share has too many participants; never returned here.
        case tooManyParticipants = 29
        /// The record, one above or below it, or its zone is shared already.
        case alreadyShared = 30
        /// The target of a reference or a parent is not there, or a deletion would leave records without their parent.
        case referenceViolation = 31
        /// The account may not do that; never returned here.
        case managedAccountRestricted = 32
        /// A participant has to prove the address.
        case participantMayNeedVerification = 33
        /// The answer was lost, and it is unknown which operations were applied.
        case serverResponseLost = 34
        /// A file cannot be downloaded.
        case assetNotAvailable = 35
        /// The account cannot be used now; never returned here.
        case accountTemporarilyUnavailable = 36
        /// The user has an invitation to the share already; never returned here.
        case participantAlreadyInvited = 37
    }

    /// A fault of the service's, or an answer that cannot be read.
    public static var internalError: Code { .internalError }
    /// Some items of an operation failed.
    public static var partialFailure: Code { .partialFailure }
    /// The service cannot be reached.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// The connection failed.
    public static var networkFailure: Code { .networkFailure }
    /// The container is not known, or not configured.
    public static var badContainer: Code { .badContainer }
    /// The service cannot answer now.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// Too many requests.
    public static var requestRateLimited: Code { .requestRateLimited }
    /// The app may not use CloudKit; never returned here.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// No user is signed in, or no longer.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// The user may not do that.
    public static var permissionFailure: Code { .permissionFailure }
    /// There is no such item.
    public static var unknownItem: Code { .unknownItem }
    /// The request cannot be done as it is given.
    public static var invalidArguments: Code { .invalidArguments }
    /// Deprecated by CloudKit; never returned here.
    public static var resultsTruncated: Code { .resultsTruncated }
    /// Somebody changed the record meanwhile.
    public static var serverRecordChanged: Code { .serverRecordChanged }
    /// The service refuses the request; never returned here.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }
    /// A file to upload is not there.
    public static var assetFileNotFound: Code { .assetFileNotFound }
    /// A file changed while it was uploaded.
    public static var assetFileModified: Code { .assetFileModified }
    /// The app is too old; never returned here.
    public static var incompatibleVersion: Code { .incompatibleVersion }
    /// A unique field has the value already; never returned here.
    public static var constraintViolation: Code { .constraintViolation }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The change token is too old: begin without one.
    public static var changeTokenExpired: Code { .changeTokenExpired }
    /// Another item of an atomic request failed.
    public static var batchRequestFailed: Code { .batchRequestFailed }
    /// The zone is busy; never returned here.
    public static var zoneBusy: Code { .zoneBusy }
    /// The database cannot do that.
    public static var badDatabase: Code { .badDatabase }
    /// The user's storage or another quota is full.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// There is no such zone.
    public static var zoneNotFound: Code { .zoneNotFound }
    /// The request is too large: divide it.
    public static var limitExceeded: Code { .limitExceeded }
    /// The user deleted the zone; never returned here.
    public static var userDeletedZone: Code { .userDeletedZone }
    /// A share has too many participants; never returned here.
    public static var tooManyParticipants: Code { .tooManyParticipants }
    /// The record, one above or below it, or its zone is shared already.
    public static var alreadyShared: Code { .alreadyShared }
    /// The target of a reference or a parent is not there, or a deletion would leave records without their parent.
    public static var referenceViolation: Code { .referenceViolation }
    /// The account may not do that; never returned here.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    /// A participant has to prove the address.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
    /// The answer was lost, and it is unknown which operations were applied.
    public static var serverResponseLost: Code { .serverResponseLost }
    /// A file cannot be downloaded.
    public static var assetNotAvailable: Code { .assetNotAvailable }
    /// The account cannot be used now; never returned here.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
    /// The user has an invitation to the share already; never returned here.
    public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}

/// The older name of an error's code.
public typealias CKErrorCode = CKError.Code
