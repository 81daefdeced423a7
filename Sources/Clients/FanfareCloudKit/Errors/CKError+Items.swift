import CloudModel

extension Identifier {
    /// A name of the app's, as requests have it: a request with a wrong name would fail as a whole.
    /// - Throws: `invalidArguments` with the rule that the name breaks.
    static func checked(_ text: String) throws(CKError) -> Self {
        do { return try Self(text) } catch { throw CKError(.invalidArguments, error.reason) }
    }
}

extension CKError {
    /// True for an error of one item or zone. Errors of a request, the network or the account affect others, too.
    var isOfItem: Bool {
        switch code {
        case .unknownItem, .zoneNotFound, .userDeletedZone, .changeTokenExpired, .permissionFailure, .badDatabase,
            .invalidArguments, .participantMayNeedVerification, .participantAlreadyInvited, .assetFileNotFound,
            .assetFileModified, .assetNotAvailable, .quotaExceeded, .referenceViolation, .alreadyShared,
            .serverRecordChanged, .partialFailure:
            true
        default: false
        }
    }

    /// True for an error of a request for one zone that is the zone's, and so that of each item in it.
    var isOfZone: Bool {
        // What the service calls a bad request is wrong with the request; what the library refuses is the zone.
        isOfItem && (code != .invalidArguments || serverErrorCode == nil)
    }

    /// True for an error after which a sync engine keeps a change and sends it again, without help of the app.
    var isForRetry: Bool {
        switch code {
        case .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled, .serverResponseLost: true
        default: isTransient
        }
    }
}
