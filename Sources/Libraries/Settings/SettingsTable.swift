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
        /// Advice to the operator, a sentence each: secrets whose flags the process list shows.
        package var warnings: [String] = []
    }

    /// The end of the name that a secret's file has: `--api-token-file`, `APP_API_TOKEN_FILE`, `api-token-file`.
    private static var fileSuffix: String { "-file" }

    /// Reads a command line over an environment over a file over defaults.
    /// - Parameters:
    ///     - arguments: the words after the command; `--name value`, `--name=value`, `--switch`, `--` ends the flags.
    ///     - file: the keys and values of the configuration file, with its path.
    ///     - secretFile: reads the file of a secret; its first line is the value.
    /// - Throws: `SettingsError` with the name that is unknown or out of range; what `secretFile` throws.
    package func read(
        _ defaults: Configuration, arguments: [String], environment: [String: String],
        file: (path: String, values: [String: String])? = nil,
        secretFile: (String) throws -> String = { throw SettingsError("no files of secrets are read here: \($0)") }
    ) throws -> Reading {
        var reading = Reading(configuration: defaults, sources: [:], operands: [])
        if let file { try apply(file.values, of: file.path, to: &reading, secretFile) }
        for setting in settings {
            for variable in variables(of: setting) {
                guard let text = environment[variable] else { continue }
                // The variable itself wins over that of a file.
                let isFile = variable == fileVariable(of: setting)
                if isFile {
                    try putFile(text, into: setting, .environment(variable), &reading, secretFile)
                } else {
                    try put(text, into: setting, .environment(variable), &reading)
                }
                break
            }
        }
        try apply(arguments, to: &reading, secretFile)
        return reading
    }

    /// The environment variables of a setting, the first one its own, the last one of a secret that of its file.
    package func variables(of setting: Setting<Configuration>) -> [String] {
        [variable(setting.name)] + setting.environment + (fileVariable(of: setting).map { [$0] } ?? [])
    }

    /// All names that flags and files may have.
    package var names: [String] { settings.flatMap { $0.isSecret ? [$0.name, $0.name + Self.fileSuffix] : [$0.name] } }

    private func variable(_ name: String) -> String {
        environmentPrefix + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    private func fileVariable(of setting: Setting<Configuration>) -> String? {
        setting.isSecret ? variable(setting.name + Self.fileSuffix) : nil
    }

    /// The setting of a name, and whether the name is that of the secret's file.
    private func setting(named name: some StringProtocol) -> (setting: Setting<Configuration>, isFile: Bool)? {
        if let setting = settings.first(where: { $0.name == name }) { return (setting, false) }
        guard name.hasSuffix(Self.fileSuffix) else { return nil }
        let own = name.dropLast(Self.fileSuffix.count)
        return settings.first { $0.isSecret && $0.name == own }.map { ($0, true) }
    }

    private func apply(
        _ values: [String: String], of path: String, to reading: inout Reading, _ secretFile: (String) throws -> String
    ) throws {
        for (key, text) in values.sorted(by: { $0.key < $1.key }) {
            guard let (setting, isFile) = setting(named: key) else {
                throw SettingsError("\(path) has the unknown setting '\(key)'; `fanfare configuration` lists all")
            }
            if isFile {
                guard values[setting.name] == nil else { continue }
                try putFile(text, into: setting, .file(path), &reading, secretFile)
            } else {
                try put(text, into: setting, .file(path), &reading)
            }
        }
    }

    private func apply(
        _ arguments: [String], to reading: inout Reading, _ secretFile: (String) throws -> String
    ) throws {
        var rest = arguments[...]
        // The switch before the word, if it has no value of its own.
        var lastSwitch: String?
        while let word = rest.popFirst() {
            if word == "--" {
                reading.operands += rest
                return
            }
            guard word.hasPrefix("--") else {
                if let name = lastSwitch, Bool(settingText: word) != nil {
                    throw SettingsError(
                        "--\(name) takes no word after it: write --\(name)=\(word), or -- before '\(word)' if that is no value"
                    )
                }
                lastSwitch = nil
                reading.operands.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let (setting, isFile) = setting(named: parts[0]) else {
                // A secret may be behind the sign.
                throw SettingsError("unknown flag '--\(parts[0])'; --help lists all")
            }
            lastSwitch = parts.count == 1 && setting.isSwitch ? setting.name : nil
            var text = parts.count == 2 ? String(parts[1]) : setting.isSwitch ? "true" : nil
            if text == nil { text = rest.popFirst() }
            guard let text else {
                throw SettingsError("--\(parts[0]) needs \(isFile ? "a file" : setting.expectation) after it")
            }
            if isFile {
                try putFile(text, into: setting, .flag, &reading, secretFile)
            } else {
                if setting.isSecret { warn(of: setting, &reading) }
                try put(text, into: setting, .flag, &reading)
            }
        }
    }

    /// Warns once of a secret that is an argument.
    private func warn(of setting: Setting<Configuration>, _ reading: inout Reading) {
        let file = fileVariable(of: setting) ?? ""
        let warning =
            "the process list shows the value of --\(setting.name) to every user of this machine; give it in \(variable(setting.name)), or in a file that --\(setting.name)\(Self.fileSuffix) or \(file) names"
        if !reading.warnings.contains(warning) { reading.warnings.append(warning) }
    }

    private func putFile(
        _ path: String, into setting: Setting<Configuration>, _ source: SettingSource, _ reading: inout Reading,
        _ secretFile: (String) throws -> String
    ) throws {
        let text = try secretFile(path)
        guard !text.isEmpty else {
            throw SettingsError("the file \(path) of the setting '\(setting.name)' has nothing in its first line")
        }
        try put(text, into: setting, source, &reading)
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
