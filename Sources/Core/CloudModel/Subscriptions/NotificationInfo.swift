/// What the notifications of a subscription carry (spec section 1.3). All parts are optional; the whole is required.
package struct NotificationInfo: Hashable, Sendable {
    /// The text of the alert.
    package var alertBody: String?
    /// Fields whose values the notification carries; at most `Limits.additionalFieldsMax`.
    package var additionalFields: [FieldName]
    /// Whether each notification adds one to the badge.
    package var shouldBadge: Bool

    package init(alertBody: String? = nil, additionalFields: [FieldName] = [], shouldBadge: Bool = false) {
        self.alertBody = alertBody
        self.additionalFields = additionalFields
        self.shouldBadge = shouldBadge
    }
}
