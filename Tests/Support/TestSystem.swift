package import CloudMessages
package import CloudModel
import Continuity
import Cryptography
package import EventLog
import Feeds
import FileAssets
package import Identity
import NotificationDelivery
package import RecordService
package import RecordStore
import SubscriptionMatcher

/// The three roles over one log in this process, without HTTP: what a test needs to follow a record to a feed.
package final class TestSystem: Sendable {
    package let log: any EventLog
    package let layout: TopicLayout
    package let service: RecordService
    package let identity: IdentityService
    private let folder = TemporaryFolder()
    private let tasks: [Task<Void, Never>]

    /// Starts a system on a log, with stores of its own unless others are given.
    package init(
        log: any EventLog, environment: CloudEnvironment = .development, partitions: Int32 = 4, deliverers: Int = 1,
        identityProvider: IdentityProvider? = nil, store: (any RecordStore)? = nil, assets: (any AssetStore)? = nil
    ) async throws {
        let container = ContainerIdentifier(trusted: "iCloud.test.\(UInt32.random(in: 0 ... .max))")
        let layout = TopicLayout(
            ContainerEnvironment(container: container, environment: environment), partitions: partitions)
        self.layout = layout
        self.log = log
        _ = try await log.createTopics(layout.fixedTopics)
        // A broker on a busy machine may take longer than the log waits for it.
        try await eventually("the topics") {
            try await log.describeTopics(layout.fixedTopics.map(\.name)).count == layout.fixedTopics.count
        }
        let store = try store ?? TestStores.records(in: folder)
        let service = RecordService(
            layout: layout, store: store, log: log,
            assets: AssetStorage(
                try assets ?? FileAssets(folder: folder.path("assets")), keys: KeyRing.generate()))
        self.service = service
        var identityOptions = IdentityService.Options()
        identityOptions.allowsDevelopmentSignIn = true
        let identity = IdentityService(beside: service, options: identityOptions, provider: identityProvider)
        self.identity = identity
        let check = IdentityCheck(log: log, layout: layout).start
        tasks =
            [
                Task { await service.run() }, Task { await identity.run() },
                Task { await SubscriptionMatcher(log: log, layout: layout, check: check).run() },
            ]
            + (0..<deliverers).map { _ in
                Task { await NotificationDelivery(log: log, layout: layout, check: check).run() }
            }
    }

    /// Ends the roles and the log.
    package func stop() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await service.store.close()
        await log.close()
    }

    /// Removes a user as `fanfare users delete` does.
    package func remove(_ user: UserRecordName) async throws {
        try await identity.removeUser(user)
        _ = try await service.removeAll(of: user)
    }

    /// A user who may sign in.
    package func user(_ name: String) async throws -> Caller {
        let record = UserRecordName(
            trusted: "_" + String(repeating: "0", count: 32 - name.utf8.count * 2)
                + name.utf8.map { String($0, radix: 16) }.joined())
        try await service.store.write { transaction in
            if try transaction.user(.development(name)) == nil {
                try transaction.addUser(record, .development(name), at: Timestamp(milliseconds: 0))
            }
        }
        return Caller(user: record)
    }

    /// Everything in a device's feed, from the start.
    package func feed(_ device: DeviceID, of caller: Caller) async throws -> [Notification] {
        let registered = try await deviceInStep(device, of: caller)
        let identity = FeedIdentity(
            scope: layout.scope, user: registered.user, device: device, epoch: registered.epoch)
        let reader = try await FeedReader(FeedSources(log, layout: layout), identity: identity, from: nil)
        defer { Task { await reader.close() } }
        return try await reader.page(limit: .max).notifications
    }

    /// Waits until delivery has applied the caller's last change, as a client does: it repeats the request after
    /// `TRY_AGAIN_LATER`.
    package func deviceInStep(_ device: DeviceID, of caller: Caller) async throws -> Device {
        while true {
            do {
                return try await service.deviceInStep(device, for: caller)
            } catch let error as CloudError where error.code == .tryAgainLater {
                try Task.checkCancellation()
            }
        }
    }
}
