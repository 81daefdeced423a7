import Settings

extension SettingGroup {
    /// Outages of the log, and clocks.
    static let continuitySettings: [Setting<Configuration>] = [
        Setting(
            "outbox-rows-max", \.continuity.outboxRows, in: 1000...1_000_000_000,
            "changes that may wait for the log; saves beyond them get TRY_AGAIN_LATER"),
        Setting(
            "outbox-mebibytes-max", \.continuity.outboxMebibytes, in: 16...1_048_576,
            "MiB of changes that may wait for the log"),
        Setting(
            "outbox-kept-seconds", \.continuity.outboxKeptSeconds, in: 0...3600,
            "on Kafka, how long published changes are kept, to be published again where it has lost them by a power cut of all brokers: above the time after which these write to their disks; 0 keeps none"
        ),
        Setting(
            "delivery-lag-seconds-max", \.continuity.deliveryLagSeconds, in: 0...604_800,
            "how far a partition's notifications may be behind before records that go there are not saved (THROTTLED with retryAfter); 0 is no bound"
        ),
        Setting(
            "clock-leap-hours", \.continuity.clockLeapHours, in: 1...87_600,
            "a leap of the machine's clock between two commits, or since the last one at a start, from which on it is logged"
        ),
        Setting(
            "clock-leaps", \.continuity.clockLeaps,
            "`tell` logs such a leap, `refuse` saves nothing until the clock is right"
        ) { text in
            ["tell", "refuse"].contains(text) ? nil : "is tell or refuse, not '\(text)'"
        },
    ]

    /// Commands that show what they would do.
    static let confirmationSettings: [Setting<Configuration>] = [
        Setting("yes", \.repairing.isConfirmed, "carry out the plan")
    ]
}
