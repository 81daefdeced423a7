extension SettingsTable {
    /// One line a setting for `--help`, with its default.
    package func help(defaults: Configuration) -> String {
        let names = settings.map { $0.isSwitch ? "--\($0.name)" : "--\($0.name) VALUE" }
        let width = names.map(\.count).max() ?? 0
        return zip(settings, names).map { setting, name in
            let padding = String(repeating: " ", count: width - name.count)
            let file = setting.isSecret ? " (or --\(setting.name)-file FILE)" : ""
            return "  \(name)\(padding)  \(setting.help)\(suffix(setting.show(defaults)))\(file)"
        }.joined(separator: "\n")
    }

    /// The settings as a Markdown list for the documentation.
    package func markdown(defaults: Configuration) -> String {
        let rows = settings.map { setting in
            let text = setting.show(defaults)
            let variables = variables(of: setting).map { "`\($0)`" }.joined(separator: ", ")
            let cells = ["`\(setting.name)`", variables, text.isEmpty ? "–" : "`\(text)`", setting.help]
            return Self.item(cells.joined(separator: " · "))
        }
        return (["Each line: setting · environment · default · meaning.", ""] + rows).joined(separator: "\n")
    }

    /// A list item, wrapped at 120 columns.
    private static func item(_ text: String) -> String {
        var lines = ["-"]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > 120 { lines.append(" ") }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n")
    }

    /// Every setting with its present value and where that came from; secrets are hidden.
    package func present(_ reading: Reading) -> [(name: String, value: String, source: SettingSource)] {
        settings.map { setting in
            let value = setting.show(reading.configuration)
            let shown = setting.isSecret && !value.isEmpty ? "(hidden)" : value
            return (setting.name, shown, reading.sources[setting.name] ?? .builtIn)
        }
    }

    private func suffix(_ text: String) -> String { text.isEmpty ? "" : " (default: \(text))" }
}
