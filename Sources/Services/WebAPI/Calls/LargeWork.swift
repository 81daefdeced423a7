import CloudModel
import Waiting

/// Bounds the memory of requests together: one that may move much waits until there is room for it, fair between
/// senders: the next is of the sender with the least work. Small ones pass at once. A waiting one is dropped when its
/// client leaves.
final class LargeWork: Sendable {
    /// Bytes of records that requests work on at once. A request holds some five times its share for a moment: the
    /// records, their JSON as a tree and as bytes, and what the server sends.
    static let capacity = 64 << 20
    /// Bytes up to which a request never waits: one record.
    static let smallBytes = 1 << 20
    /// Requests of one sender that may wait.
    static let waitersOfSender = 256
    /// The longest that a request waits before it gets `TRY_AGAIN_LATER`.
    static let patience = Duration.seconds(60)
    /// A body becomes some four times as much: its tree, records, their old versions, and what the outbox is given.
    private static let bodyFactor = 4

    private let gate: FairGate<Sender>

    init(capacity: Int = LargeWork.capacity) {
        gate = FairGate(capacity: capacity, share: capacity / 2, waitersOfKey: Self.waitersOfSender)
    }

    /// Bytes that are left for others.
    var room: Int { gate.room }

    /// The number of requests that wait.
    var waitingCount: Int { gate.waitingCount }

    /// Bytes that a request needs whose body has so many.
    static func bytes(ofBody count: Int) -> Int { count * bodyFactor }

    /// Works once there is room for the bytes; a request over the capacity works alone.
    /// - Throws: `THROTTLED` if too much of the sender's waits already, `TRY_AGAIN_LATER` if its turn does not come.
    func pass<Result>(
        _ bytes: Int, for sender: Sender, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard bytes > Self.smallBytes else { return try await work() }
        do {
            return try await gate.pass(bytes, for: sender, waitingAtMost: Self.patience, work)
        } catch let refusal as WaitingRefusal {
            throw Self.error(refusal)
        }
    }

    /// The error for a sender that does not get in.
    static func error(_ refusal: WaitingRefusal) -> CloudError {
        switch refusal {
        case .tooManyOfOne:
            CloudError(
                .throttled, "\(waitersOfSender) large requests of this sender wait already; send fewer at once",
                retryAfterSeconds: 5)
        case .tooMany, .timedOut:
            CloudError(.tryAgainLater, "large requests of others are at work; try again later", retryAfterSeconds: 5)
        }
    }
}
