import CloudModel

/// Reads `notificationInfo`, by the REST names and the native ones (design section 12, choice 21).
enum NotificationInfoDecoding {
    static func info(_ json: JSONPath) throws(CloudError) -> NotificationInfo {
        let json = try json.object()
        let appearance = Appearance<FieldName>(
            alert: try text(json, "alertBody", "alertLocalization"),
            title: try text(json, "title", "titleLocalization"),
            subtitle: try text(json, "subtitle", "subtitleLocalization"),
            actionLocalizationKey: try string(json, "alertActionLocalizationKey"),
            launchImage: try string(json, "alertLaunchImage"), soundName: try string(json, "soundName"),
            category: try string(json, "category"), isContentAvailable: try flag(json, "shouldSendContentAvailable"),
            isContentMutable: try flag(json, "shouldSendMutableContent"), collapseID: try string(json, "collapseIDKey"))
        let fields = try names(json["additionalFields"] ?? json["desiredKeys"], atMost: Limits.additionalFieldsMax)
        return NotificationInfo(
            additionalFields: fields, shouldBadge: try flag(json, "shouldBadge"), appearance: appearance)
    }

    private static func text(
        _ json: JSONPath, _ plain: String, _ localization: String
    ) throws(CloudError) -> AlertText<FieldName> {
        AlertText(
            try string(json, plain), localizationKey: try string(json, "\(localization)Key"),
            localizationArgs: try names(json["\(localization)Args"], atMost: Limits.localizationArgsMax))
    }

    private static func string(_ json: JSONPath, _ key: String) throws(CloudError) -> String? {
        guard let member = json[key] else { return nil }
        let text = try member.string()
        guard text.unicodeScalars.count <= Limits.alertCharactersMax else {
            throw .badRequest("\(member.path) has more than \(Limits.alertCharactersMax) characters")
        }
        return text
    }

    private static func flag(_ json: JSONPath, _ key: String) throws(CloudError) -> Bool {
        try json[key]?.bool() ?? false
    }

    private static func names(_ json: JSONPath?, atMost limit: Int) throws(CloudError) -> [FieldName] {
        guard let json else { return [] }
        var names: [FieldName] = []
        for name in try json.elements() { names.append(try name.identifier()) }
        guard names.count <= limit else {
            throw .badRequest("\(json.path) names \(names.count) fields; at most \(limit) are allowed")
        }
        return names
    }
}
