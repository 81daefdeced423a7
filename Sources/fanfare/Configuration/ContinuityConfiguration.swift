import RecordService
import RecordStore

/// The settings of what a record-service does when its log is away or its clock leaps.
struct ContinuityConfiguration: Sendable {
    var outboxRows = 1_000_000
    var outboxMebibytes = 1024
    var outboxKeptSeconds = 60
    var deliveryLagSeconds = 600
    var clockLeapHours = 24
    var clockLeaps = "tell"

    /// The bound of waiting rows.
    var outboxMax: OutboxTotals { OutboxTotals(rows: outboxRows, bytes: outboxMebibytes << 20) }

    /// The way in which a clock that leaps is met.
    var clock: CommitClock.Options {
        var options = CommitClock.Options()
        options.leapMax = .seconds(clockLeapHours * 3600)
        options.refusesLeaps = clockLeaps == "refuse"
        return options
    }
}
