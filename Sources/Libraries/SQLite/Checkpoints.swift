import Dispatch
import Waiting

/// Writes pages of a file's write-ahead log into the file, for the most part on a thread and a connection of its own:
/// the requests of a writer do not wait for it.
final class Checkpoints: Sendable {
    private let configuration: SQLiteConfiguration
    /// Serial.
    let queue = DispatchQueue(label: "SQLiteCheckpoints")
    private let confined = Confined()
    private let plan: BusyMutex<CheckpointPlan>

    /// Unchecked: the connection is touched on `queue` only.
    private final class Confined: @unchecked Sendable {
        var connection: SQLiteConnection?
    }

    init(_ configuration: SQLiteConfiguration, _ plan: CheckpointPlan) {
        self.configuration = configuration
        self.plan = BusyMutex(plan)
    }

    /// Makes or begins a checkpoint if one is due. On the writer's thread, after a commit.
    func afterCommit(of writer: SQLiteConnection) {
        switch plan.withLock({ $0.step(pages: writer.logPages) }) {
        case .wait: return
        case .byWriter: writer.checkpoint()
        case .beside:
            queue.async { [self] in
                // One that fails is made later, or by the writer itself.
                if confined.connection == nil { confined.connection = try? SQLiteConnection.open(configuration) }
                confined.connection?.checkpoint()
                plan.withLock { $0.ended() }
            }
        }
    }

    /// Closes the connection once the checkpoint under way is done.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [confined] in
                confined.connection = nil
                continuation.resume()
            }
        }
    }
}
