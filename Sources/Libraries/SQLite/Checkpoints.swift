import Dispatch
import Waiting

/// Writes pages of a file's write-ahead log into the file, on a thread and a connection of its own: the requests of a
/// writer do not wait for it.
final class Checkpoints: Sendable {
    private let configuration: SQLiteConfiguration
    /// Serial.
    let queue = DispatchQueue(label: "SQLiteCheckpoints")
    private let confined = Confined()
    private let isUnderWay = BusyMutex(false)

    /// Unchecked: the connection is touched on `queue` only.
    private final class Confined: @unchecked Sendable {
        var connection: SQLiteConnection?
    }

    init(_ configuration: SQLiteConfiguration) { self.configuration = configuration }

    /// Begins a checkpoint unless one is under way.
    func begin() {
        guard isUnderWay.withLock({ isUnderWay in !exchange(&isUnderWay, with: true) }) else { return }
        queue.async { [self] in
            // One that fails is made after a later commit, or by the writer itself.
            if confined.connection == nil { confined.connection = try? SQLiteConnection.open(configuration) }
            confined.connection?.checkpoint()
            isUnderWay.withLock { $0 = false }
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
