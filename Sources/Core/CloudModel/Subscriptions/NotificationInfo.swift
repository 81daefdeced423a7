/// The contents of a subscription's notifications (docs/cloudkit.md#notificationinfo). All parts are optional; the
/// whole is required.
package struct NotificationInfo: Hashable, Sendable {
    /// The look of the notifications; arguments are names of fields of the record that changed.
    package var appearance: Appearance<FieldName>
    /// Fields whose values the notification carries; at most `Limits.additionalFieldsMax`.
    package var additionalFields: [FieldName]
    /// Indicates whether each notification adds one to the badge.
    package var shouldBadge: Bool
    /// The time at which they reach a person; nil notifies each change at once.
    package var policy: DeliveryPolicy?

    package init(
        alertBody: String? = nil, additionalFields: [FieldName] = [], shouldBadge: Bool = false,
        appearance: Appearance<FieldName> = Appearance(), policy: DeliveryPolicy? = nil
    ) {
        self.policy = policy
        self.appearance = appearance
        self.additionalFields = additionalFields
        self.shouldBadge = shouldBadge
        if let alertBody { self.alertBody = alertBody }
    }

    /// The text of the alert.
    package var alertBody: String? {
        get { appearance.alert.text }
        set { appearance.alert.text = newValue }
    }
}
