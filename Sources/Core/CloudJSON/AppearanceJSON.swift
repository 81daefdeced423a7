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
    static func add(_ appearance: Appearance<String>, to json: inout some MemberSink, flags: Flags) {
        add(appearance.alert, "alertBody", .alert, to: &json)
        add(appearance.title, "title", .title, to: &json)
        add(appearance.subtitle, "subtitle", .subtitle, to: &json)
        add("alertActionLocalizationKey", appearance.actionLocalizationKey, to: &json)
        add("alertLaunchImage", appearance.launchImage, to: &json)
        add("soundName", appearance.soundName, to: &json)
        add("category", appearance.category, to: &json)
        add("collapseIDKey", appearance.collapseID, to: &json)
        if appearance.isContentAvailable { json.add(flags.contentAvailable, true) }
        if appearance.isContentMutable { json.add(flags.mutableContent, true) }
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

    /// The JSON names of a localized text.
    private struct LocalizedNames {
        var key: String
        var arguments: String

        static let alert = LocalizedNames(key: "alertLocalizationKey", arguments: "alertLocalizationArgs")
        static let title = LocalizedNames(key: "titleLocalizationKey", arguments: "titleLocalizationArgs")
        static let subtitle = LocalizedNames(key: "subtitleLocalizationKey", arguments: "subtitleLocalizationArgs")
    }

    private static func add(
        _ text: AlertText<String>, _ plain: String, _ names: LocalizedNames, to json: inout some MemberSink
    ) {
        add(plain, text.text, to: &json)
        add(names.key, text.localizationKey, to: &json)
        if !text.localizationArgs.isEmpty { json.add(names.arguments, text.localizationArgs) }
    }

    private static func add(_ key: String, _ text: String?, to json: inout some MemberSink) {
        if let text { json.add(key, text) }
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
