public import Foundation

extension CKError: Hashable {
    /// True for errors with the same code and the same details, as `NSError`s of CloudKit's are compared.
    public static func == (one: CKError, other: CKError) -> Bool {
        guard one.code == other.code else { return false }
        return NSDictionary(dictionary: one.bridgedUserInfo).isEqual(to: other.bridgedUserInfo)
    }

    /// Hashes the code alone: details may be of any type.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// `userInfo` with objects of Foundation's for all errors in it.
    var bridgedUserInfo: [String: Any] {
        var info = errorUserInfo
        if let errors = partialErrorsByItemID {
            info[CKPartialErrorsByItemIDKey] = NSDictionary(dictionary: errors.mapValues { $0 as NSError })
        }
        if let error = details.underlying { info[NSUnderlyingErrorKey] = error as NSError }
        return info
    }
}

#if !canImport(ObjectiveC)
    /// The bridge to `NSError`, which Objective-C's runtime is elsewhere. Without it `as? NSError` of a Swift error and
    /// `as? CKError` of an `NSError` are nil; apps write both, and cast dictionaries of errors
    /// (`as? [CKRecord.ID: NSError]`).
    extension CKError: _ObjectiveCBridgeable {
        /// Foundation's error with the domain, code and details of this one.
        public func _bridgeToObjectiveC() -> NSError {
            NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
        }

        /// The error of CloudKit's domain; `internalError` of another domain.
        public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
            result = CKError(_nsError: source)
        }

        /// The error of CloudKit's domain; false of another domain.
        public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) -> Bool {
            result = source.domain == errorDomain ? CKError(_nsError: source) : nil
            return result != nil
        }

        /// The error of CloudKit's domain; `internalError` of another domain, or of none.
        public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
            source.map { CKError(_nsError: $0) } ?? CKError(.internalError)
        }
    }
#endif
