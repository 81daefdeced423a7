/// One setting of a configuration: its name, its purpose, its default and the place of its value.
///
/// The name is the flag (`--public-port`) and the file's key (`public-port`); the environment variable is the prefix
/// and the name in capitals (`FANFARE_PUBLIC_PORT`), and any further names that `environment` lists.
package struct Setting<Configuration: Sendable>: Sendable {
    /// The name, as flags and files have it.
    package let name: String
    /// The meaning, in a line for people.
    package let help: String
    /// Further environment variables, asked after the setting's own.
    package let environment: [String]
    /// Indicates whether the value is hidden wherever values are shown.
    package let isSecret: Bool
    /// Indicates whether the flag alone, without a value, means `true`.
    package let isSwitch: Bool
    /// The form of a value, as error messages ask for it.
    package let expectation: String
    /// The value of a configuration as text.
    package let show: @Sendable (Configuration) -> String
    /// Puts a text's value into a configuration; returns the error, or nil.
    package let set: @Sendable (inout Configuration, String) -> String?

    /// Describes a setting that is stored at `keyPath`.
    /// - Parameter allowed: returns the error of a value, or nil if there is none.
    package init<Value: SettingValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Configuration, Value> & Sendable, _ help: String,
        environment: [String] = [], secret: Bool = false, allowed: @escaping @Sendable (Value) -> String? = { _ in nil }
    ) {
        self.name = name
        self.help = help
        self.environment = environment
        self.isSecret = secret
        self.isSwitch = Value.self == Bool.self
        self.expectation = Value.expectation
        self.show = { $0[keyPath: keyPath].settingText }
        self.set = { configuration, text in
            guard let value = Value(settingText: text) else { return "is \(Value.expectation), not '\(text)'" }
            if let wrong = allowed(value) { return wrong }
            configuration[keyPath: keyPath] = value
            return nil
        }
    }

    /// Describes a number that must lie in a range.
    package init<Value: SettingValue & Comparable>(
        _ name: String, _ keyPath: any WritableKeyPath<Configuration, Value> & Sendable, in range: ClosedRange<Value>,
        _ help: String, environment: [String] = []
    ) {
        self.init(name, keyPath, help, environment: environment) { value in
            range.contains(value)
                ? nil
                : "must lie between \(range.lowerBound.settingText) and \(range.upperBound.settingText), not \(value.settingText)"
        }
    }
}
