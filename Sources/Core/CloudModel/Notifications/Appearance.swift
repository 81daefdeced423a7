/// One text of a notification: literal, or a key into the app's strings with its arguments.
package struct AlertText<Argument: Hashable & Sendable>: Hashable, Sendable {
    /// The text as it is.
    package var text: String?
    /// A key into the app's strings, which wins over `text` where the text is shown.
    package var localizationKey: String?
    /// The arguments put into the text of the key, in order.
    package var localizationArgs: [Argument]

    package init(_ text: String? = nil, localizationKey: String? = nil, localizationArgs: [Argument] = []) {
        self.text = text
        self.localizationKey = localizationKey
        self.localizationArgs = localizationArgs
    }

    /// The same with other arguments.
    package func map<Other>(_ transform: (Argument) -> Other) -> AlertText<Other> {
        AlertText<Other>(text, localizationKey: localizationKey, localizationArgs: localizationArgs.map(transform))
    }
}

/// The look and the delivery of a notification (docs/cloudkit.md#notificationinfo). Arguments are names of fields in a
/// subscription, and texts in a notification.
package struct Appearance<Argument: Hashable & Sendable>: Hashable, Sendable {
    /// The text of the alert.
    package var alert: AlertText<Argument>
    /// The line above the text.
    package var title: AlertText<Argument>
    /// The line between title and text.
    package var subtitle: AlertText<Argument>
    /// The key of the label of the alert's button.
    package var actionLocalizationKey: String?
    /// The file of the picture that is shown while the app starts.
    package var launchImage: String?
    /// `default`, or a file of the app.
    package var soundName: String?
    /// The group of buttons that the app has registered.
    package var category: String?
    /// Indicates whether the app is woken in the background.
    package var isContentAvailable: Bool
    /// Indicates whether the app may change the notification before it is shown.
    package var isContentMutable: Bool
    /// Of notifications with the same one, only the last is shown.
    package var collapseID: String?

    package init(
        alert: AlertText<Argument> = AlertText(), title: AlertText<Argument> = AlertText(),
        subtitle: AlertText<Argument> = AlertText(), actionLocalizationKey: String? = nil, launchImage: String? = nil,
        soundName: String? = nil, category: String? = nil, isContentAvailable: Bool = false,
        isContentMutable: Bool = false, collapseID: String? = nil
    ) {
        self.alert = alert
        self.title = title
        self.subtitle = subtitle
        self.actionLocalizationKey = actionLocalizationKey
        self.launchImage = launchImage
        self.soundName = soundName
        self.category = category
        self.isContentAvailable = isContentAvailable
        self.isContentMutable = isContentMutable
        self.collapseID = collapseID
    }

    /// The same with other arguments.
    package func map<Other>(_ transform: (Argument) -> Other) -> Appearance<Other> {
        Appearance<Other>(
            alert: alert.map(transform), title: title.map(transform), subtitle: subtitle.map(transform),
            actionLocalizationKey: actionLocalizationKey, launchImage: launchImage, soundName: soundName,
            category: category, isContentAvailable: isContentAvailable, isContentMutable: isContentMutable,
            collapseID: collapseID)
    }
}
