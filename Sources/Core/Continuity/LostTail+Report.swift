import EventLog
package import Stages
import Telemetry

extension LostTail {
    static let count = Counter(
        "fanfare_stage_lost_tails_total",
        "Times that a partition had lost entries which a reader had read, and was read again from before them.")

    /// Counts and logs the loss, for operators.
    /// - Parameter reader: the one that found it.
    package func report(by reader: StageProgress.Name) {
        Self.count.increment()
        Log.error(
            "stage.tail.lost",
            ["stage": reader.rawValue, "partition": "\(partition)", "from": from, "to": to])
    }
}
