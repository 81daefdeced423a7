public import Foundation

extension CKFetchRecordZoneChangesOperation {
    /// The older name of a zone's configuration.
    public typealias ZoneOptions = ZoneConfiguration

    // What can change is guarded; CloudKit declares the class the same way.
    /// The part of a zone that is fetched. A class, as in CloudKit.
    public final class ZoneConfiguration: NSObject, NSCopying, @unchecked Sendable {
        /// The token of the last fetch; nil is the start.
        @CKGuarded public var previousServerChangeToken: CKServerChangeToken? = nil
        /// The most records of one page; nil leaves it to the service.
        @CKGuarded public var resultsLimit: Int? = nil
        /// The fields to fetch; nil is all.
        @CKGuarded public var desiredKeys: [CKRecord.FieldKey]? = nil

        /// A whole zone, from its start.
        public override init() {}

        /// A part of a zone.
        public convenience init(
            previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
            desiredKeys: [CKRecord.FieldKey]? = nil
        ) {
            self.init()
            self.previousServerChangeToken = previousServerChangeToken
            self.resultsLimit = resultsLimit
            self.desiredKeys = desiredKeys
        }

        /// A configuration with the same parts.
        public func copy(with zone: NSZone? = nil) -> Any {
            ZoneConfiguration(
                previousServerChangeToken: previousServerChangeToken, resultsLimit: resultsLimit,
                desiredKeys: desiredKeys)
        }
    }
}

/// The older name of a zone's configuration.
public typealias CKFetchRecordZoneChangesOptions = CKFetchRecordZoneChangesOperation.ZoneConfiguration
