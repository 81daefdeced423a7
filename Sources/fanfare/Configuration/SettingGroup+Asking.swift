import CloudModel
import Settings

extension SettingGroup {
    static let explanationSettings: [Setting<Configuration>] = [
        Setting(
            "change", \.explaining.change,
            "the change: its number, which stands in the header fanfare-sequence, or the ID of a notification about it"),
        Setting("subscription", \.explaining.subscription, "the subscription's ID"),
        Setting(
            "user", \.explaining.user,
            "the record name of the subscription's owner, where several have one of that ID"),
        Setting("database", \.explaining.database, "public, private or shared, where the owner has one in several") {
            text in
            text.isEmpty || DatabaseScope(text) != nil ? nil : "is public, private or shared, not '\(text)'"
        },
    ]

    static let auditSettings: [Setting<Configuration>] = [
        Setting(
            "from", \.auditing.from, "only changes committed at this time or later, such as 2026-03-01T12:00:00Z",
            allowed: time),
        Setting("to", \.auditing.to, "only changes committed at this time or earlier", allowed: time),
        Setting("devices", \.auditing.devices, "only these devices, by commas, and their users' journals") { ids in
            for id in ids where (try? DeviceID(id)) == nil { return "names devices by their IDs, not '\(id)'" }
            return nil
        },
    ]

    @Sendable private static func time(_ text: String) -> String? {
        text.isEmpty || Timestamp(iso8601: text) != nil ? nil : "is a time such as 2026-03-01T12:00:00Z, not '\(text)'"
    }
}
