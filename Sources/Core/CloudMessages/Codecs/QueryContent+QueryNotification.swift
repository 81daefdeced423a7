package import CloudModel

extension Notification.QueryContent {
    /// Reads a notification of a user's; nil when it lacks what every one has.
    package init?(_ message: QueryNotification, user: UserRecordName) {
        guard let database = DatabaseScope(rawValue: message.database), let zone = message.zone?.zoneID,
            let reason = Change.Kind(rawValue: message.reason),
            let kind = Subscription.Kind(messageNumber: message.kind), let fields = try? message.fields.recordFields()
        else { return nil }
        self.init(
            subscription: SubscriptionKey(
                user: user, database: database, id: SubscriptionID(trusted: message.subscription)),
            reason: reason, recordName: RecordName(trusted: message.recordName),
            recordType: RecordType(trusted: message.recordType), zone: zone, fields: fields,
            appearance: AppearanceMessage.appearance(message.appearance, alertBody: message.alertBody),
            badge: message.badge)
        self.kind = kind
        isBackfilled = message.isBackfilled
        changeCount = Int(clamping: max(1, message.changeCount))
    }
}
