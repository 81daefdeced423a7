/// A type that a setting can have: read from text, shown as text.
package protocol SettingValue: Sendable, Equatable, SendableMetatype {
    /// The form of a value, as error messages ask for it, such as `a whole number`.
    static var expectation: String { get }
    /// Reads the text of a flag, an environment variable or a file; nil when it is no such value.
    init?(settingText: String)
    /// As help and documentation show it.
    var settingText: String { get }
}

extension Int: SettingValue {
    package static var expectation: String { "a whole number" }
    package init?(settingText: String) { self.init(settingText) }
    package var settingText: String { String(self) }
}

extension Double: SettingValue {
    package static var expectation: String { "a number" }
    package init?(settingText: String) {
        guard let value = Double(settingText), value.isFinite else { return nil }
        self = value
    }
    package var settingText: String { String(self) }
}

extension String: SettingValue {
    package static var expectation: String { "a text" }
    package init?(settingText: String) { self = settingText }
    package var settingText: String { self }
}

extension Bool: SettingValue {
    package static var expectation: String { "true or false" }
    package init?(settingText: String) {
        switch settingText.lowercased() {
        case "true", "yes", "on", "1": self = true
        case "false", "no", "off", "0": self = false
        default: return nil
        }
    }
    package var settingText: String { self ? "true" : "false" }
}

extension [String]: SettingValue {
    package static var expectation: String { "a list separated by commas" }
    package init?(settingText: String) {
        self = settingText.split(separator: ",").map { $0.drop(while: \.isWhitespace) }.map(String.init)
    }
    package var settingText: String { joined(separator: ",") }
}
