import Settings
import Stages

extension SettingGroup {
    /// Outages of the log, and clocks.
    static let continuitySettings: [Setting<Configuration>] = [
        Setting(
            "outbox-rows-max", \.continuity.outboxRows, in: 1000...1_000_000_000,
            "changes that may wait for the log; saves beyond them are told to try again later"),
        Setting(
            "outbox-mebibytes-max", \.continuity.outboxMebibytes, in: 16...1_048_576,
            "MiB of changes that may wait for the log"),
        Setting(
            "delivery-lag-seconds-max", \.continuity.deliveryLagSeconds, in: 0...604_800,
            "how far notifications may be behind before records are not saved (THROTTLED with retryAfter); 0 is no bound"
        ),
        Setting(
            "clock-leap-hours", \.continuity.clockLeapHours, in: 1...87_600,
            "a leap of the machine's clock between two commits, or since the last one at a start, that is larger is told of"
        ),
        Setting(
            "clock-leaps", \.continuity.clockLeaps,
            "tell or refuse: whether such a leap is logged, or nothing is saved until the clock is right"
        ) { text in
            ["tell", "refuse"].contains(text) ? nil : "is tell or refuse, not '\(text)'"
        },
    ]

    /// Commands that show what they would do.
    static let confirmationSettings: [Setting<Configuration>] = [
        Setting("yes", \.repairing.isConfirmed, "do what is shown")
    ]

    /// `feeds migrate`.
    static let migrationSettings: [Setting<Configuration>] = [
        Setting("delete-old", \.deletesOldFeeds, "delete the topics of the layout that was left")
    ]

    /// `repair`.
    static let repairSettings: [Setting<Configuration>] = [
        Setting(
            "rebuild", \.repairing.parts,
            "parts to make again although nothing differs: subscriptions, devices, delivery, commands, separated by commas"
        ) { parts in
            for part in parts where RepairPlan.Part(rawValue: part) == nil {
                return "names '\(part)'; parts are subscriptions, devices, delivery and commands"
            }
            return nil
        }
    ]
}
