package import EventLog
import Timing

/// Watches whether a log has lost the ends of partitions. It acknowledges entries in the memory of its brokers: when all of
/// them lose power, or one that lags becomes the leader, it comes back with fewer entries under the same topics.
package struct TailWatch: Sendable {
    /// The reason to think that entries are lost.
    package enum Loss: Hashable, Sendable, CustomStringConvertible {
        /// A partition ends before an end of before.
        case shorter(TopicPartition, end: Int64, was: Int64)
        /// The log could not be reached for a while: partitions may have become shorter, and have grown since.
        case away

        package var description: String {
            switch self {
            case .shorter(let partition, let end, let was): "\(partition) ends at offset \(end), and had \(was)"
            case .away: "the log could not be reached, and has answered again"
            }
        }
    }

    /// A call that took as long did not reach the log for a while.
    private static let answerMax = Duration.seconds(5)

    private let log: any EventLog
    private let partitions: [TopicPartition]
    private let pause: Duration

    /// - Parameter pause: the time between two looks, below the one in which brokers start.
    package init(_ log: any EventLog, _ partitions: [TopicPartition], pause: Duration = .seconds(2)) {
        self.log = log
        self.partitions = partitions
        self.pause = pause
    }

    /// Waits until entries may be lost. A broker that was paused may report an old end: the reaction has to be harmless.
    /// - Throws: `CancellationError` only.
    package func loss() async throws -> Loss {
        var known: [TopicPartition: Int64] = [:]
        var isAway = false
        while true {
            let began = Time.now
            do {
                for (partition, bounds) in try await log.bounds(of: partitions).sorted(by: { $0.key < $1.key }) {
                    if let was = known[partition], bounds.end < was {
                        return .shorter(partition, end: bounds.end, was: was)
                    }
                    known[partition] = bounds.end
                }
                if isAway || Time.now - began > Self.answerMax { return .away }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                isAway = true
            }
            try await Time.sleep(for: pause)
        }
    }
}
