import Settings

/// The form in which `device-client` shows notifications.
enum OutputFormat: String, SettingValue, CaseIterable {
    /// A JSON line each, as the service answers it.
    case json
    /// A line for people each.
    case text

    static var expectation: String { "json or text" }
    init?(settingText: String) { self.init(rawValue: settingText) }
    var settingText: String { rawValue }
}
