import Telemetry

extension RecordService {
    /// Registers the metrics of the module: counters are there from the start, at 0, so that a first increase shows.
    static func registerMetrics() {
        _ = (OutboxBacklog.rows, OutboxBacklog.bytes, CommitClock.leaps, silentDevicesRemoved, FeedSweep.removed)
        _ = (OutboxRelay.published, OutboxRelay.failures, OutboxRelay.refusedRows)
        _ = (CommandConsumer.applied, CommandConsumer.malformed, CommandConsumer.gaps, DeliveryProgress.feeds)
    }
}
