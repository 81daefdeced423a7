import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Waiting

@testable import Push

/// A provider that keeps the pushes that it is handed, and answers as a test says.
final class ScriptedProvider: PushProvider {
    /// A push as it came.
    struct Received: Sendable {
        var sender: String
        var device: String
        var push: OutgoingPush
        var change: Int64
    }

    let kind = CourierKind.apns
    private let sender: String
    private let isDead: @Sendable () -> Bool
    private let received: Mutex<[Received]>
    private let script: @Sendable (Received, _ number: Int) async -> PushOutcome

    /// - Parameters:
    ///   - isDead: true once the sender's process has died: nothing of it arrives any more.
    ///   - script: the answer to a push and its number, from 1.
    init(
        _ sender: String = "", isDead: @escaping @Sendable () -> Bool = { false },
        script: @escaping @Sendable (Received, _ number: Int) async -> PushOutcome
    ) {
        self.sender = sender
        self.isDead = isDead
        self.script = script
        received = Mutex([])
    }

    /// All that came, in order.
    var pushes: [Received] { received.withLock { $0 } }

    func line(of address: PushAddress) -> String { "host" }

    func send(_ push: OutgoingPush) async -> PushOutcome {
        guard case .apns(let address) = push.address else { return .dropped(PushFailure(reason: "kind")) }
        if isDead() { return .failed(PushFailure(reason: "dead"), .address(after: .seconds(3600))) }
        let text = String(decoding: push.payload.bytes, as: UTF8.self)
        let change = text.firstMatch(of: /change-([0-9]+)/).flatMap { Int64($0.output.1) } ?? -1
        let came = Received(
            sender: sender, device: String(decoding: address.token, as: UTF8.self), push: push, change: change)
        let number = received.withLock { received in
            received.append(came)
            return received.count
        }
        return await script(came, number)
    }
}

/// A table in which each device's token is its name, except for those that are removed.
final class ScriptedAddresses: PushAddresses {
    private let state = Mutex<(removed: [String], contents: PushContents)>(([], .full))
    private let isRefusing = Mutex(0)

    /// Devices without an address.
    var removed: [String] { state.withLock { $0.removed } }

    /// The number of removals that fail first.
    func refuse(_ count: Int) { isRefusing.withLock { $0 = count } }

    func follow(_ partition: Int32) async throws {
        let _: Void = try await Bell<Int32>().wait(for: partition) { nil }
    }

    func note(_ outcome: PushOutcome, of address: RegisteredPushAddress, of device: DeviceID, at time: Timestamp) {}

    func report() async { try? await follow(0) }

    func forget(_ device: String) { state.withLock { $0.removed.append(device) } }

    func address(
        of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind, user: UserRecordName,
        atLeast sequence: CommitSequence
    ) async throws -> RegisteredPushAddress? {
        guard !removed.contains(device.rawValue) else { return nil }
        return RegisteredPushAddress(
            .apns(APNSAddress(token: Array(device.rawValue.utf8), environment: .development)),
            registered: Timestamp(milliseconds: 100))
    }

    func remove(
        _ address: RegisteredPushAddress, of device: DeviceID, _ epoch: DeviceEpoch, user: UserRecordName,
        for reason: PushFailure
    ) async throws {
        let isRefused = isRefusing.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if isRefused { throw LogError.unavailable("the test wants it so") }
        forget(device.rawValue)
    }
}

/// A log that a process which has died reaches no more.
final class MortalLog: ForwardingLog {
    let base: any EventLog
    let isDead = Mutex(false)
    /// Called before and after each commit of state, with true after it.
    private let committing: @Sendable (MortalLog, _ isDone: Bool) -> Void
    private let commits = Atomic(0)

    init(_ base: any EventLog, committing: @escaping @Sendable (MortalLog, _ isDone: Bool) -> Void = { _, _ in }) {
        self.base = base
        self.committing = committing
    }

    /// The number of commits.
    var commitCount: Int { commits.load(ordering: .relaxed) }

    func die() { isDead.withLock { $0 = true } }

    func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        try check()
        return Session(base: try await base.takeOver(claim), log: self)
    }

    private func check() throws { if isDead.withLock({ $0 }) { throw LogError.closed } }

    private struct Session: ForwardingSession {
        let base: any LogStateSession
        let log: MortalLog

        func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
            log.committing(log, false)
            try log.check()
            try await base.commit(changes, offset: offset, at: time)
            log.commits.add(1, ordering: .relaxed)
            log.committing(log, true)
            try log.check()
        }
    }
}
