package import CloudModel

extension AppearanceMessage {
    /// A notification's appearance as it is stored and published, without the text of the alert, which has its own
    /// field. Nil if there is nothing else, so that a plain notification stays small.
    package init?(_ appearance: Appearance<String>) {
        var rest = appearance
        rest.alert.text = nil
        guard rest != Appearance() else { return nil }
        self.init(
            alertLocalizationKey: rest.alert.localizationKey, alertLocalizationArgs: rest.alert.localizationArgs,
            title: rest.title.text, titleLocalizationKey: rest.title.localizationKey,
            titleLocalizationArgs: rest.title.localizationArgs, subtitle: rest.subtitle.text,
            subtitleLocalizationKey: rest.subtitle.localizationKey,
            subtitleLocalizationArgs: rest.subtitle.localizationArgs,
            alertActionLocalizationKey: rest.actionLocalizationKey, alertLaunchImage: rest.launchImage,
            soundName: rest.soundName, category: rest.category, contentAvailable: rest.isContentAvailable,
            mutableContent: rest.isContentMutable, collapseId: rest.collapseID)
    }

    /// The appearance.
    /// - Parameter alertBody: the text of the alert, which has its own field.
    package static func appearance(_ message: AppearanceMessage?, alertBody: String?) -> Appearance<String> {
        guard let message else { return Appearance(alert: AlertText(alertBody)) }
        return Appearance(
            alert: AlertText(
                alertBody, localizationKey: message.alertLocalizationKey,
                localizationArgs: message.alertLocalizationArgs),
            title: AlertText(
                message.title, localizationKey: message.titleLocalizationKey,
                localizationArgs: message.titleLocalizationArgs),
            subtitle: AlertText(
                message.subtitle, localizationKey: message.subtitleLocalizationKey,
                localizationArgs: message.subtitleLocalizationArgs),
            actionLocalizationKey: message.alertActionLocalizationKey, launchImage: message.alertLaunchImage,
            soundName: message.soundName, category: message.category, isContentAvailable: message.contentAvailable,
            isContentMutable: message.mutableContent, collapseID: message.collapseId)
    }
}

extension NotificationInfoMessage {
    /// The information as it is stored and published.
    package init(_ info: NotificationInfo) {
        self.init(
            alertBody: info.alertBody, additionalFields: info.additionalFields.map(\.rawValue),
            shouldBadge: info.shouldBadge, appearance: AppearanceMessage(info.appearance.map(\.rawValue)),
            policy: info.policy.map { PolicyMessage($0) })
    }

    /// The information.
    package var notificationInfo: NotificationInfo {
        NotificationInfo(
            additionalFields: additionalFields.map { FieldName(trusted: $0) }, shouldBadge: shouldBadge,
            appearance: AppearanceMessage.appearance(appearance, alertBody: alertBody).map { FieldName(trusted: $0) },
            policy: policy?.policy)
    }
}
