/// The settings of a configuration: reads flags, environment and file, and renders help and documentation.
package struct SettingsTable<Configuration: Sendable>: Sendable {
    /// The settings in the order in which help shows them.
    package let settings: [Setting<Configuration>]
    /// The prefix of environment variables, such as `FANFARE_`.
    package let environmentPrefix: String

    package init(environmentPrefix: String, _ settings: [Setting<Configuration>]) {
        self.environmentPrefix = environmentPrefix
        self.settings = settings
    }

    /// The outcome of reading: the configuration, where each value came from, and the arguments that are no flags.
    package struct Reading: Sendable {
        /// All values, defaults included.
        package var configuration: Configuration
        /// The source of each value, by the setting's name.
        package var sources: [String: SettingSource]
        /// The arguments that are no flags, in their order.
        package var operands: [String]
    }

    /// Reads a command line over an environment over a file over defaults.
    /// - Parameters:
    ///   - arguments: the words after the command; `--name value`, `--name=value`, `--switch`, `--` ends the flags.
    ///   - file: the keys and values of the configuration file, with its path.
    /// - Throws: `SettingsError` that names what is unknown or out of range.
    package func read(
        _ defaults: Configuration, arguments: [String], environment: [String: String],
        file: (path: String, values: [String: String])? = nil
    ) throws(SettingsError) -> Reading {
        var reading = Reading(configuration: defaults, sources: [:], operands: [])
        if let file { try apply(file.values, of: file.path, to: &reading) }
        for setting in settings {
            for variable in variables(of: setting) {
                guard let text = environment[variable] else { continue }
                try put(text, into: setting, .environment(variable), &reading)
                break
            }
        }
        try apply(arguments, to: &reading)
        return reading
    }

    /// The environment variables of a setting, the first one its own.
    package func variables(of setting: Setting<Configuration>) -> [String] {
        [environmentPrefix + setting.name.uppercased().replacing("-", with: "_")] + setting.environment
    }

    private func apply(_ values: [String: String], of path: String, to reading: inout Reading) throws(SettingsError) {
        for (key, text) in values.sorted(by: { $0.key < $1.key }) {
            guard let setting = settings.first(where: { $0.name == key }) else {
                throw SettingsError("\(path) has the unknown setting '\(key)'; `fanfare configuration` lists all")
            }
            try put(text, into: setting, .file(path), &reading)
        }
    }

    private func apply(_ arguments: [String], to reading: inout Reading) throws(SettingsError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                reading.operands += rest
                return
            }
            guard word.hasPrefix("--") else {
                reading.operands.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let setting = settings.first(where: { $0.name == parts[0] }) else {
                throw SettingsError("unknown flag '\(word)'; --help lists all")
            }
            if parts.count == 2 {
                try put(String(parts[1]), into: setting, .flag, &reading)
            } else if setting.isSwitch {
                try put("true", into: setting, .flag, &reading)
            } else if let value = rest.popFirst() {
                try put(value, into: setting, .flag, &reading)
            } else {
                throw SettingsError("--\(setting.name) needs \(setting.expectation) after it")
            }
        }
    }

    private func put(
        _ text: String, into setting: Setting<Configuration>, _ source: SettingSource, _ reading: inout Reading
    ) throws(SettingsError) {
        if let wrong = setting.set(&reading.configuration, text) {
            let shown = setting.isSecret ? "is not valid" : wrong
            throw SettingsError("the setting '\(setting.name)' (\(source)) \(shown)")
        }
        reading.sources[setting.name] = source
    }
}
