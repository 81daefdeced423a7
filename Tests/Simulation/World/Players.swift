import CloudMessages
import CloudModel
import EventLog
import Feeds
import RecordService
import RecordStore
import Synchronization
import TestSupport

/// The users and their devices: they play a script, and in the end read everything.
actor Players {
    private let world: World
    private let port: SimulatedPort
    /// The parts of reading that a process shares: all devices are served by one.
    private let reading: FeedReading
    private var devices: [DeviceID: SimulatedDevice] = [:]
    /// Saves that go on while others are sent, on a store where writes run beside each other.
    private var underWay: [Task<Void, Never>] = []
    /// What no reader may ever be answered.
    private(set) var complaints: [String] = []

    init(_ world: World) {
        self.world = world
        port = SimulatedPort(world.log, life: Life())
        reading = FeedReading(port)
    }

    func play(_ script: Script) async {
        for (number, step) in script.steps.enumerated() {
            for (event, choice) in world.log.plan.events(at: number) { world.meet(event, choice) }
            Trace.add("step \(number) \(step)")
            await play(step)
            // How long users wait is anybody's guess; now and then everything comes to rest in between.
            let pause = Scheduler.shared.random(below: 8)
            if pause > 3 { await Scheduler.shared.pass(.milliseconds(100 * pause * pause)) }
        }
        await untilSaved()
    }

    private func untilSaved() async {
        for save in underWay { await save.value }
        underWay = []
    }

    private func play(_ step: Script.Step) async {
        switch step {
        case .save, .subscribe, .subscribeToPast, .unsubscribe: break
        default: await untilSaved()
        }
        switch step {
        case .save where world.store.capabilities.isShared && Scheduler.shared.chance(oneIn: 2):
            let policies = world.policies
            underWay.append(Task { await send { try await Self.play(step, $0, policies) } })
        case .poll(let user, let device): _ = await read(World.device(user, device), limit: 2)
        case .wait(let days): Scheduler.shared.leap(by: .seconds(601 + 86_400 * days))
        case .oldJournal(let user): world.hideLast(of: world.layout.journals(of: World.users[user]))
        case .oldSubscriptions: world.hideLast(of: world.layout.subscriptions)
        case .matchersGo: world.stopMatchers()
        case .matchersCome: world.startMatchers()
        case .sendersGo: await world.stopSenders()
        case .sendersCome: await world.trimPushes()
        case .powerCut(let choice): world.cutPower(choice)
        case .remake: await world.remakeChanges()
        case .copyStore:
            // No loss is between a copy and its return: what the one before left to do is done.
            if world.hasLosses, await !world.hasComeToRest() { return }
            try? world.store.copy()
        case .lose(let loss): await world.lose(loss)
        case .copyService(let isStopped): world.copyService(isStopped: isStopped)
        case .stopService(let choice): await world.stopService(choice)
        case .markRead(let user, let device):
            // The last read change, or one that may have no notification.
            let newest = devices[World.device(user, device)]?.read.last?.subject.change ?? CommitSequence(3)
            await send { service in
                do {
                    try await service.markRead(
                        [newest], on: World.device(user, device), for: Caller(user: World.users[user]))
                } catch is CloudError {}
            }
        case .restore(let user, let device):
            devices[World.device(user, device)]?.restore(Scheduler.shared.random(below: 100))
        default: await send { [policies = world.policies] in try await Self.play(step, $0, policies) }
        }
    }

    /// Sends a request, and again when it failed: a client may not know whether it was done; the store does.
    private func send(_ request: @Sendable (RecordService) async throws -> Void) async {
        for _ in 0..<4 {
            if let service = world.service, (try? await request(service)) != nil { return }
            await Scheduler.shared.pass(.seconds(1))
        }
    }

    private static func play(
        _ step: Script.Step, _ service: RecordService, _ policies: PolicyPlay?, in database: DatabaseScope = .public
    ) async throws {
        switch step {
        case .privately(let step): try await play(step, service, policies, in: .private)
        case .share, .saveInShare, .watchZones, .unwatchZones: try await playShare(step, service)
        case .register(let user, let device):
            _ = try await service.registerDevice(
                World.device(user, device), name: "n", platform: "p", for: Caller(user: World.users[user]))
        case .unregister(let user, let device):
            do {
                try await service.unregisterDevice(World.device(user, device), for: Caller(user: World.users[user]))
            } catch is CloudError {}
        case .subscribe(let user, let number, let above, let once):
            let draft = makeDraft(number, above: above, once: once, policies)
            _ = try await service.modifySubscriptions(
                [.create(draft)], in: database, for: Caller(user: World.users[user]))
        case .subscribeToPast(let user, let number):
            // Below all numbers, and unlike any other of the user's.
            var draft = makeDraft(number, above: -Int64(number), once: number == 4, policies)
            let from = number == 5 ? World.beginning + 20_000 : 0
            draft.startingFrom = .time(Timestamp(milliseconds: from))
            _ = try await service.modifySubscriptions(
                [.create(draft)], in: database, for: Caller(user: World.users[user]))
        case .setBadge(let user, let device, let value):
            do {
                try await service.setBadge(
                    value, on: World.device(user, device), for: Caller(user: World.users[user]))
            } catch is CloudError {}
        case .unsubscribe(let user, let number):
            _ = try await service.modifySubscriptions(
                [.delete(SubscriptionID(trusted: "s\(number)"))], in: database, for: Caller(user: World.users[user]))
        case .save(let user, let device, let record, let number):
            let operation = makeSave("r\(record)-\(user)", number)
            let caller = Caller(user: World.users[user], client: device.map { World.device(user, $0) })
            _ = try await service.modifyRecords([operation], in: database, for: caller)
        case .registerPush(let user, let device, let isBrowser):
            do {
                _ = try await service.registerPush(
                    SimulatedProvider.address(of: World.device(user, device), isBrowser: isBrowser),
                    on: World.device(user, device), for: Caller(user: World.users[user]))
            } catch is CloudError {}
        case .removePush(let user, let device, let isBrowser):
            do {
                _ = try await service.removePush(
                    isBrowser ? .webPush : .apns, on: World.device(user, device),
                    for: Caller(user: World.users[user]))
            } catch is CloudError {}
        case .choosePolicies(let user, let device, let choice):
            do {
                try await service.setPolicies(
                    PolicyPlay.choices[choice], on: World.device(user, device), for: Caller(user: World.users[user]))
            } catch is CloudError {}
        case .poll, .restore, .wait, .remake, .oldJournal, .oldSubscriptions, .matchersGo, .matchersCome, .sendersGo,
            .sendersCome, .powerCut, .copyStore, .lose, .markRead, .copyService, .stopService:
            break
        }
    }

    static func makeSave(_ name: String, _ number: Int64) -> RecordOperation {
        RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: RecordType(trusted: "T"),
            fields: [FieldName(trusted: "number"): GivenValue(.int64(number), isTypeExplicit: false)])
    }

    private static func makeDraft(
        _ number: Int, above: Int64, once: Bool, _ policies: PolicyPlay?
    ) -> SubscriptionDraft {
        let filter = GivenFilter(
            field: .field(FieldName(trusted: "number")), comparator: .greaterThan,
            operand: .value(GivenValue(.int64(above), isTypeExplicit: false)))
        let id = SubscriptionID(trusted: "s\(number)")
        return SubscriptionDraft(
            id: id, query: GivenQuery(recordType: RecordType(trusted: "T"), filters: [filter]), zone: nil,
            firesOn: [.create, .update, .delete], firesOnce: once,
            notificationInfo: NotificationInfo(
                alertBody: "x", shouldBadge: World.badges(id), policy: policies?.policy(of: id)))
    }

    /// Reads a page of a device's feed.
    /// - Returns: true if there is more; nil when it has to be tried again.
    private func read(_ id: DeviceID, limit: Int) async -> Bool? {
        guard let registered = registered(id) else { return false }
        let identity = FeedIdentity(
            scope: world.layout.scope, user: registered.user, device: id, epoch: registered.epoch)
        var device = devices[id] ?? SimulatedDevice(identity)
        if device.identity != identity { device = SimulatedDevice(identity) }
        let result: Bool?
        do {
            result = try await device.readPage(FeedSources(port, layout: world.layout), reading, limit: limit)
        } catch let error as CloudError where [.tryAgainLater, .notFound].contains(error.code) {
            result = nil
        } catch LogError.unavailable {
            result = nil
        } catch {
            // Unregistered meanwhile, its feed may end in any way.
            if registered.epoch == self.registered(id)?.epoch { complaints.append("\(id) was answered \(error)") }
            result = nil
        }
        devices[id] = device
        return result
    }

    private func registered(_ id: DeviceID) -> Device? {
        (try? world.store.read { try $0.device(id) })?.device
    }

    // MARK: The end

    /// Waits until the healed system has nothing left to do.
    func rest() async {
        if world.hasCopiedStore { await world.endCopied() }
        while !world.isTorn, !world.isAtRest || !world.hasAppliedCommands || world.hasHolds {
            await Scheduler.shared.pass(.milliseconds(500))
            if world.hasCopiedStore { await world.repairCopied() }
            if world.isAtRest, world.hasHolds { Scheduler.shared.leap(by: .seconds(600)) }
        }
    }

    /// Reads everything, with old tokens and from the start.
    /// - Returns: the faults.
    func judge() async throws -> [String] {
        complaints += world.failures.withLock { $0 } + world.pushes.complaints + world.copyFailures
        if world.isTorn { return complaints }
        let (store, oracle) = (world.store, try makeOracle())
        for user in 0..<2 {
            var siblings: [(device: DeviceID, epoch: DeviceEpoch, delivered: [Notification])] = []
            for device in 0..<2 {
                let id = World.device(user, device)
                guard let registered = registered(id) else { continue }
                await readAll(id)
                let continued = devices[id]?.read ?? []
                devices[id] = nil
                await readAll(id)
                let latest = devices[id]?.read ?? []
                if continued.map({ oracle.names($0) }) != latest.map({ oracle.names($0) }) {
                    complaints.append(
                        "\(id) read \(Self.text(continued)) by tokens, and \(Self.text(latest)) from the start")
                }
                complaints += oracle.judge(latest, of: World.users[user], id, registered.epoch)
                complaints += await judgeTopic(of: registered, latest)
                var shown: Int64?
                // Events on their way are lost with a topic, and so may be marks and badges.
                if !world.hasLosses {
                    let events = try DeviceEventOracle(store.committed, of: World.users[user])
                    complaints += events.judgeMarks(latest, id, registered.epoch)
                    if let badge = await badge(of: id, user) {
                        complaints += events.judgeBadges(latest, badge: badge, id, registered.epoch)
                        shown = badge
                    }
                }
                siblings.append((id, registered.epoch, latest))
                let pushes = try PushOracle(store.committed, of: World.users[user], oracle.hits(of: World.users[user]))
                let hasLosses = world.hasLosses || world.hasLostChanges.load(ordering: .relaxed)
                complaints += pushes.judge(
                    world.pushes.handed, of: id, registered.epoch, latest, badge: shown, hasLosses: hasLosses,
                    trimmedAt: world.pushes.trimmedAt, isHeld: world.policies == .pushes)
                if world.policies == .pushes, world.pushes.trimmedAt == nil, !hasLosses {
                    complaints += try pushes.judgeHeld(pushEntries(of: World.users[user]), id, registered.epoch)
                }
            }
            if siblings.count == 2 {
                complaints += oracle.judgeSiblings(siblings[0], siblings[1], of: World.users[user])
            }
        }
        return complaints
    }

    private func makeOracle() throws -> PlainOracle {
        let (store, lost) = (world.store, world.lostRows)
        var oracle = try PlainOracle(
            store.committed, lost: store.lost + (lost.published > 0 ? [lost.rows] : []),
            hasLostChanges: world.hasLostChanges.load(ordering: .relaxed), unsure: world.unsure,
            mayRepeat: world.mayRepeat)
        for user in World.users {
            let place = world.layout.journals(of: user)
            try oracle.learn(world.log.contents.withLock { $0.entries(place) }, of: user)
        }
        return oracle
    }

    /// Compares the topic of a device with what it read over HTTP.
    private func judgeTopic(
        of device: Device, _ wanted: [Notification]
    ) async -> [String] {
        guard world.layout.hasFeedTopics else { return [] }
        let identity = FeedIdentity(
            scope: world.layout.scope, user: device.user, device: device.id, epoch: device.epoch)
        var failure = ""
        for _ in 0..<100 {
            do {
                let reader = try await FeedReader(
                    FeedSources(port, layout: world.layout), identity: identity, from: nil, reading: reading,
                    readsTopic: true)
                let page = try await reader.page(limit: .max)
                await reader.close()
                let found = page.notifications
                return found == wanted
                    ? [] : ["\(device.id) has \(Self.text(found)) in its topic, and read \(Self.text(wanted))"]
            } catch {
                failure = "\(error)"
                await Scheduler.shared.pass(.seconds(1))
            }
        }
        return ["\(device.id) cannot read its topic: \(failure)"]
    }

    private func pushEntries(of user: UserRecordName) -> [LogEntry] {
        world.log.contents.withLock { $0.entries(world.layout.pushes(of: user)) }
    }

    /// The service's badge; adds a complaint if it gives none.
    private func badge(of id: DeviceID, _ user: Int) async -> Int64? {
        for _ in 0..<60 {
            if let value = try? await world.service?.badge(of: id, for: Caller(user: World.users[user])) {
                return value
            }
            await Scheduler.shared.pass(.seconds(1))
        }
        complaints.append("\(id) cannot learn its badge")
        return nil
    }

    private func readAll(_ id: DeviceID) async {
        for _ in 0..<200 {
            switch await read(id, limit: 1 + Scheduler.shared.random(below: 3)) {
            case false?: return
            case true?: break
            case nil: await Scheduler.shared.pass(.seconds(1))
            }
        }
        complaints.append("\(id) cannot read its feed to the end")
    }

    private static func text(_ notifications: [Notification]) -> String {
        "\(notifications.map { PlainOracle.name($0) })"
    }
}
