import CloudModel
public import Foundation

extension CKSubscription {
    // What can change is guarded; CloudKit declares the class the same way.
    /// The contents of a subscription's notifications.
    public final class NotificationInfo: NSObject, NSCopying, @unchecked Sendable {
        /// The text of the alert.
        @CKGuarded public var alertBody: String? = nil
        /// The key of the alert's text in the app's strings, which wins over the text.
        @CKGuarded public var alertLocalizationKey: String? = nil
        /// The names of fields whose values are put into the alert's text.
        @CKGuarded public var alertLocalizationArgs: [CKRecord.FieldKey]? = nil
        /// The title.
        @CKGuarded public var title: String? = nil
        /// The key of the title in the app's strings.
        @CKGuarded public var titleLocalizationKey: String? = nil
        /// The names of fields whose values are put into the title.
        @CKGuarded public var titleLocalizationArgs: [CKRecord.FieldKey]? = nil
        /// The subtitle.
        @CKGuarded public var subtitle: String? = nil
        /// The key of the subtitle in the app's strings.
        @CKGuarded public var subtitleLocalizationKey: String? = nil
        /// The names of fields whose values are put into the subtitle.
        @CKGuarded public var subtitleLocalizationArgs: [CKRecord.FieldKey]? = nil
        /// The key of the label of the alert's button.
        @CKGuarded public var alertActionLocalizationKey: String? = nil
        /// The picture that is shown while the app starts.
        @CKGuarded public var alertLaunchImage: String? = nil
        /// `default`, or a sound of the app's.
        @CKGuarded public var soundName: String? = nil
        /// The names of fields whose values notifications carry, three at most.
        @CKGuarded public var desiredKeys: [CKRecord.FieldKey]? = nil
        /// True to add one to the badge with each notification.
        @CKGuarded public var shouldBadge: Bool = false
        /// True to wake the app in the background.
        @CKGuarded public var shouldSendContentAvailable: Bool = false
        /// True to let the app change the notification before it is shown.
        @CKGuarded public var shouldSendMutableContent: Bool = false
        /// The group of buttons that the app has registered.
        @CKGuarded public var category: String? = nil
        /// A text, or the name of a field: pushes with the same one take each other's place.
        @CKGuarded public var collapseIDKey: String? = nil
        /// The time at which notifications reach a person; nil notifies each change at once. Not in CloudKit.
        @CKGuarded public var deliveryPolicy: CKDeliveryPolicy? = nil

        /// Contents that show nothing.
        public override init() {}

        /// Contents from their parts.
        public convenience init(
            alertBody: String? = nil,
            alertLocalizationKey: String? = nil,
            alertLocalizationArgs: [CKRecord.FieldKey]? = nil,
            title: String? = nil,
            titleLocalizationKey: String? = nil,
            titleLocalizationArgs: [CKRecord.FieldKey]? = nil,
            subtitle: String? = nil,
            subtitleLocalizationKey: String? = nil,
            subtitleLocalizationArgs: [CKRecord.FieldKey]? = nil,
            alertActionLocalizationKey: String? = nil,
            alertLaunchImage: String? = nil,
            soundName: String? = nil,
            desiredKeys: [CKRecord.FieldKey]? = nil,
            shouldBadge: Bool = false,
            shouldSendContentAvailable: Bool = false,
            shouldSendMutableContent: Bool = false,
            category: String? = nil,
            collapseIDKey: String? = nil
        ) {
            self.init()
            self.alertBody = alertBody
            self.alertLocalizationKey = alertLocalizationKey
            self.alertLocalizationArgs = alertLocalizationArgs
            self.title = title
            self.titleLocalizationKey = titleLocalizationKey
            self.titleLocalizationArgs = titleLocalizationArgs
            self.subtitle = subtitle
            self.subtitleLocalizationKey = subtitleLocalizationKey
            self.subtitleLocalizationArgs = subtitleLocalizationArgs
            self.alertActionLocalizationKey = alertActionLocalizationKey
            self.alertLaunchImage = alertLaunchImage
            self.soundName = soundName
            self.desiredKeys = desiredKeys
            self.shouldBadge = shouldBadge
            self.shouldSendContentAvailable = shouldSendContentAvailable
            self.shouldSendMutableContent = shouldSendMutableContent
            self.category = category
            self.collapseIDKey = collapseIDKey
        }

        /// Contents with the same parts.
        public func copy(with zone: NSZone? = nil) -> Any { NotificationInfo(noun) }
    }
}

extension CKSubscription.NotificationInfo {
    convenience init(_ noun: CloudModel.NotificationInfo) {
        self.init()
        let look = noun.appearance
        alertBody = look.alert.text
        alertLocalizationKey = look.alert.localizationKey
        alertLocalizationArgs = Self.names(look.alert.localizationArgs)
        title = look.title.text
        titleLocalizationKey = look.title.localizationKey
        titleLocalizationArgs = Self.names(look.title.localizationArgs)
        subtitle = look.subtitle.text
        subtitleLocalizationKey = look.subtitle.localizationKey
        subtitleLocalizationArgs = Self.names(look.subtitle.localizationArgs)
        alertActionLocalizationKey = look.actionLocalizationKey
        alertLaunchImage = look.launchImage
        soundName = look.soundName
        desiredKeys = Self.names(noun.additionalFields)
        shouldBadge = noun.shouldBadge
        shouldSendContentAvailable = look.isContentAvailable
        shouldSendMutableContent = look.isContentMutable
        category = look.category
        collapseIDKey = look.collapseID
        deliveryPolicy = noun.policy.map { CKDeliveryPolicy($0) }
    }

    /// The contents as a request gives them.
    var noun: CloudModel.NotificationInfo {
        CloudModel.NotificationInfo(
            additionalFields: Self.fields(desiredKeys), shouldBadge: shouldBadge,
            appearance: Appearance(
                alert: Self.text(alertBody, alertLocalizationKey, alertLocalizationArgs),
                title: Self.text(title, titleLocalizationKey, titleLocalizationArgs),
                subtitle: Self.text(subtitle, subtitleLocalizationKey, subtitleLocalizationArgs),
                actionLocalizationKey: alertActionLocalizationKey, launchImage: alertLaunchImage,
                soundName: soundName, category: category, isContentAvailable: shouldSendContentAvailable,
                isContentMutable: shouldSendMutableContent, collapseID: collapseIDKey),
            policy: deliveryPolicy?.noun)
    }

    private static func names(_ fields: [FieldName]) -> [String]? { fields.isEmpty ? nil : fields.map(\.rawValue) }

    private static func fields(_ names: [String]?) -> [FieldName] { (names ?? []).map { FieldName(trusted: $0) } }

    private static func text(_ text: String?, _ key: String?, _ arguments: [String]?) -> AlertText<FieldName> {
        AlertText(text, localizationKey: key, localizationArgs: fields(arguments))
    }
}

/// The older name of a subscription's contents.
public typealias CKNotificationInfo = CKSubscription.NotificationInfo

/// The older name of a subscription's kind.
public typealias CKSubscriptionType = CKSubscription.SubscriptionType
