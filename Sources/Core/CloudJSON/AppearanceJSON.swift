import CloudModel
import JSON

/// The look of notifications as JSON, by CloudKit's names: in a subscription's `notificationInfo`, where arguments are
/// names of fields, and in a notification, where they are texts. A part that is not there has no member.
enum AppearanceJSON {
    /// The names of the two flags, which subscriptions and notifications call differently.
    struct Flags {
        var contentAvailable: String
        var mutableContent: String

        static let subscription = Flags(
            contentAvailable: "shouldSendContentAvailable", mutableContent: "shouldSendMutableContent")
        static let notification = Flags(contentAvailable: "contentAvailable", mutableContent: "mutableContent")
    }

    /// Adds the members to an object.
    static func add(_ appearance: Appearance<String>, to json: inout JSONObject, flags: Flags) {
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

    /// Reads the members of an object.
    /// - Parameter argument: reads one argument of a localised text.
    static func read<Argument>(
        _ json: JSONPath, flags: Flags, argument: (JSONPath) throws(CloudError) -> Argument
    ) throws(CloudError) -> Appearance<Argument> {
        Appearance(
            alert: try text(json, "alertBody", "alertLocalization", argument),
            title: try text(json, "title", "titleLocalization", argument),
            subtitle: try text(json, "subtitle", "subtitleLocalization", argument),
            actionLocalizationKey: try string(json, "alertActionLocalizationKey"),
            launchImage: try string(json, "alertLaunchImage"), soundName: try string(json, "soundName"),
            category: try string(json, "category"), isContentAvailable: try flag(json, flags.contentAvailable),
            isContentMutable: try flag(json, flags.mutableContent), collapseID: try string(json, "collapseIDKey"))
    }

    /// Reads a flag; false when it is absent.
    static func flag(_ json: JSONPath, _ key: String) throws(CloudError) -> Bool { try json[key]?.bool() ?? false }

    /// Reads a list that names at most so many fields; empty when it is absent.
    static func fields<Field>(
        _ json: JSONPath?, atMost limit: Int, _ read: (JSONPath) throws(CloudError) -> Field
    ) throws(CloudError) -> [Field] {
        guard let json else { return [] }
        let fields = try json.elements(read)
        guard fields.count <= limit else {
            throw .badRequest("\(json.path) names \(fields.count) fields; at most \(limit) are allowed")
        }
        return fields
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

    private static func text<Argument>(
        _ json: JSONPath, _ plain: String, _ localization: String,
        _ argument: (JSONPath) throws(CloudError) -> Argument
    ) throws(CloudError) -> AlertText<Argument> {
        AlertText(
            try string(json, plain), localizationKey: try string(json, "\(localization)Key"),
            localizationArgs: try fields(json["\(localization)Args"], atMost: Limits.localizationArgsMax, argument))
    }

    private static func string(_ json: JSONPath, _ key: String) throws(CloudError) -> String? {
        guard let member = json[key] else { return nil }
        let text = try member.string()
        guard text.unicodeScalars.count <= Limits.alertCharactersMax else {
            throw .badRequest("\(member.path) has more than \(Limits.alertCharactersMax) characters")
        }
        return text
    }
}
