import JSON
import Settings

/// The settings of a process as operators see them.
enum SettingRows {
    /// Every setting with its value and where that comes from; secrets are hidden.
    /// - Parameter configuration: the values that the process works with.
    static func json(
        _ reading: SettingsTable<Configuration>.Reading, _ configuration: Configuration
    ) -> [JSONValue] {
        var reading = reading
        reading.configuration = configuration
        return Configuration.services.present(reading).map { row in
            ["name": .string(row.name), "value": .string(row.value), "source": .string("\(row.source)")]
        }
    }
}
