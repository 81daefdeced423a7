import CloudModel
import RecordStore
import SQLite
import SQLiteRecordStore
import Synchronization
import TestSupport

@testable import Identity

/// Identities over a store of their own, with a clock that a test moves.
final class IdentityRig: Sendable {
    let identity: IdentityService
    let alice = UserRecordName.sample("a")
    let bob = UserRecordName.sample("b")
    private let folder = TemporaryFolder()
    private let time: Time

    init(_ environment: CloudEnvironment = .development, signIn: Bool = true) async throws {
        let scope = ContainerEnvironment(
            container: ContainerIdentifier(trusted: "iCloud.test"), environment: environment)
        let store = try SQLiteRecordStore(
            SQLiteConfiguration(path: folder.path("store.sqlite"), isDurable: false), role: .owner)
        var options = IdentityService.Options()
        options.allowsDevelopmentSignIn = signIn
        let time = Time()
        self.time = time
        identity = Self.service(scope, store, options, time)
        try await store.write { [alice, bob] transaction in
            try transaction.addUser(alice, .development("alice"), at: Timestamp(milliseconds: 0))
            try transaction.addUser(bob, .development("bob"), at: Timestamp(milliseconds: 0))
        }
    }

    /// The identities of the same store in another process.
    func another() -> IdentityService { Self.service(identity.scope, identity.store, identity.options, time) }

    func move(by duration: Duration) { time.move(by: duration) }

    /// Sets the calendar to another time.
    func leap(by duration: Duration) { time.leap(by: duration) }

    private final class Time: Sendable {
        private let value = Mutex(Timestamp(milliseconds: 1_700_000_000_000))
        var now: Timestamp { value.withLock { $0 } }

        /// The time that has passed, whatever the calendar did.
        private let passed = Mutex(Timestamp(milliseconds: 1_700_000_000_000))
        var service: Timestamp { passed.withLock { $0 } }

        func move(by duration: Duration) {
            Self.move(passed, by: duration)
            leap(by: duration)
        }

        func leap(by duration: Duration) {
            Self.move(value, by: duration)
        }

        private static func move(_ time: borrowing Mutex<Timestamp>, by duration: Duration) {
            time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + duration.components.seconds * 1000) }
        }
    }

    private static func service(
        _ scope: ContainerEnvironment, _ store: any RecordStore, _ options: IdentityService.Options, _ time: Time
    ) -> IdentityService {
        IdentityService(
            scope, store: store, options: options, now: { time.now }, serviceTime: { time.service },
            sessionsEnded: { _, _, _, _ in })
    }
}
