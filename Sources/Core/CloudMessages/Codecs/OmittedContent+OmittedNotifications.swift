package import CloudModel

extension Notification.OmittedContent {
    /// Reads what a feed or a push says; nil for a database, zone or kind of change that this version does not know.
    package init?(_ message: OmittedNotifications) {
        guard let database = DatabaseScope(rawValue: message.database), let zone = message.zone?.zoneID,
            let reason = Change.Kind(rawValue: message.reason)
        else { return nil }
        let record = (RecordName(trusted: message.recordName), RecordType(trusted: message.recordType))
        self.init(
            count: Int(message.count), database: database, reason: reason,
            record: message.recordName.isEmpty ? nil : record, zone: zone)
        isBackfilled = message.isRest
    }
}
