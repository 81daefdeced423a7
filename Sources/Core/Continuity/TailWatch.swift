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
    private let writer: CountingWriter?

    /// - Parameters:
    ///   - pause: the time between two looks, below the one in which brokers start.
    ///   - writer: the writer whose entries must not be lost either if they are appended and lost between two looks.
    package init(
        _ log: any EventLog, _ partitions: [TopicPartition], pause: Duration = .seconds(2),
        writer: CountingWriter? = nil
    ) {
        self.log = log
        self.partitions = partitions
        self.pause = pause
        self.writer = writer
    }

    /// Looks at the ends.
    /// - Throws: `LogError`.
    package func ends() async throws -> [TopicPartition: Int64] {
        let ends = try await log.bounds(of: partitions).mapValues(\.end)
        writer?.looked()
        return ends
    }

    /// Waits until entries may be lost. A broker that was paused may report an old end: the reaction has to be harmless.
    /// - Parameter ends: those of an earlier look.
    /// - Throws: `CancellationError` only.
    package func loss(since ends: [TopicPartition: Int64] = [:]) async throws -> Loss {
        var known = ends
        var isAway = false
        while true {
            let began = Time.now
            let appended = writer?.counts ?? [:]
            do {
                let ends = try await self.ends()
                for (partition, end) in ends.sorted(by: { $0.key < $1.key }) {
                    guard let was = known[partition].map({ $0 + appended[partition, default: 0] }), end < was else {
                        continue
                    }
                    return .shorter(partition, end: end, was: was)
                }
                known = ends
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
