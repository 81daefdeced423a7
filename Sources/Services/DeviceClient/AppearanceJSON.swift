package import CloudModel
package import JSON

/// Writes what notifications show by CloudKit's names; what there is not has no member.
package enum AppearanceJSON {
    /// What the two flags are called.
    package typealias Flags = (contentAvailable: String, mutableContent: String)
    /// Their names in a subscription.
    package static let subscriptionFlags: Flags = ("shouldSendContentAvailable", "shouldSendMutableContent")
    /// Their names in a notification.
    package static let notificationFlags: Flags = ("contentAvailable", "mutableContent")

    /// Adds the members to an object.
    package static func add(_ appearance: Appearance<String>, to json: inout JSONObject, flags: Flags) {
        add(appearance.alert, "alertBody", "alertLocalization", to: &json)
        add(appearance.title, "title", "titleLocalization", to: &json)
        add(appearance.subtitle, "subtitle", "subtitleLocalization", to: &json)
        for (name, text) in [
            ("alertActionLocalizationKey", appearance.actionLocalizationKey),
            ("alertLaunchImage", appearance.launchImage), ("soundName", appearance.soundName),
            ("category", appearance.category), ("collapseIDKey", appearance.collapseID),
        ] {
            if let text { json[name] = .string(text) }
        }
        if appearance.isContentAvailable { json[flags.contentAvailable] = true }
        if appearance.isContentMutable { json[flags.mutableContent] = true }
    }

    private static func add(
        _ text: AlertText<String>, _ plain: String, _ localization: String, to json: inout JSONObject
    ) {
        if let text = text.text { json[plain] = .string(text) }
        if let key = text.localizationKey { json["\(localization)Key"] = .string(key) }
        if !text.localizationArgs.isEmpty {
            json["\(localization)Args"] = .array(text.localizationArgs.map { .string($0) })
        }
    }
}
