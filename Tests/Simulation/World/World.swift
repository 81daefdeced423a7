import CloudMessages
import CloudModel
import Continuity
import Cryptography
import EventLog
import ProtocolBuffers
import RecordService
import RecordStore
import SubscriptionMatcher
import Synchronization
import TestSupport
import Waiting

/// Everything of one history: the cluster, the store, processes that die and come back, and devices.
final class World: Sendable {
    static let users = ["a", "b"].map { UserRecordName(trusted: "_" + String(repeating: $0, count: 32)) }
    /// Whether devices have topics beside the journals.
    static let hasFeedTopics = Atomic(false)
    /// Whether histories are played in which all brokers lose power.
    static let hasPowerCuts = Atomic(false)
    static var layout: TopicLayout {
        TopicLayout(
            ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
            partitions: 2, retention: Retention(changes: Retention.days(1)),
            feedTopics: hasFeedTopics.load(ordering: .relaxed))
    }
    /// How long the topics keep changes in truth: they were made when the settings said more.
    private static let changesKept = Retention.days(365)
    /// How many processes of each role there are.
    private let counts: [(role: SimulatedProcess.Role, count: Int)]
    /// The keys that all processes share.
    static let keys = KeyRing.generate()

    let layout = World.layout
    /// The topics of changes.
    let changes = DatabaseScope.allCases.map { World.layout.changes($0) }
    let log: SimulatedLog
    /// The stores whose record-services run.
    let stores: Mutex<RunningStores>
    let processes = Mutex<[SimulatedProcess]>([])
    /// The time at which histories begin, in milliseconds.
    static let beginning: Int64 = 1_700_000_000_000
    private let clock = Mutex<Int64>(beginning)
    /// The losses so far, in their order.
    let losses = Mutex<[Script.Loss]>([])
    /// Indicates whether anything was lost.
    var hasLosses: Bool { losses.withLock { !$0.isEmpty } }
    /// Indicates whether the state of delivery was lost after entries that had made it: nobody knows the names of the
    /// notifications from them, and they may come again.
    var mayRepeat: Bool {
        losses.withLock { losses in
            losses.firstIndex(of: .deliveries).map { losses[$0...].contains(.deliveryState) } ?? false
        }
    }
    /// Indicates whether the past of changes was lost, with their topic.
    let hasLostChanges = Atomic(false)
    /// What operators met that they never may.
    let failures = Mutex<[String]>([])
    private let areSendersGone = Atomic(false)
    /// The push services.
    let pushes: SimulatedPushes
    /// Indicates whether there are push senders.
    let hasPushes: Bool
    /// The policies of subscriptions and devices; nil for none.
    let policies: PolicyPlay?
    /// Whether the log was at rest when it was last looked at, and its number of changes then.
    let restOfLog = Mutex<(changes: Int, isAtRest: Bool)?>(nil)

    init(plan: FaultPlan, store: SimulatedStore, hasPushes: Bool, policies: PolicyPlay?) {
        self.hasPushes = hasPushes
        self.policies = policies
        log = SimulatedLog(plan: plan)
        pushes = SimulatedPushes(log)
        counts =
            [(.recordService, 1), (.matcher, 2), (.delivery, 2), (.pushSender, hasPushes ? 2 : 0)]
            + (layout.hasFeedTopics ? [(.feeds, 2)] : [])
        stores = Mutex(RunningStores(main: store))
        for var specification in layout.fixedTopics {
            if layout.shortName(specification.name).hasPrefix("changes.") {
                specification.cleanup = .delete(afterMilliseconds: Self.changesKept)
            }
            _ = log.create(specification)
        }
    }

    /// The wall clock, which leaps.
    var now: Timestamp {
        let passed = Scheduler.shared.time.components
        let milliseconds = passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
        return Timestamp(milliseconds: clock.withLock { $0 } + milliseconds)
    }

    static func device(_ user: Int, _ device: Int) -> DeviceID {
        DeviceID(trusted: "\(["phone", "laptop"][device])-\(["a", "b"][user])")
    }

    /// The user of a device.
    static func user(of device: DeviceID) -> UserRecordName? {
        users.indices.first { user in (0..<2).contains { Self.device(user, $0) == device } }.map { users[$0] }
    }

    /// Returns true if notifications of a subscription raise the badge.
    static func badges(_ id: SubscriptionID) -> Bool { ["s1", "s3"].contains(id.rawValue) }

    /// The store that the history is about: the first one, until its record-service ends for good beside one on a copy.
    var store: SimulatedStore { stores.withLock { $0.main } }

    /// The record service that answers at present; by chance one of the two where there is a second one.
    var service: RecordService? {
        let pair = stores.withLock { $0.pair }
        let store = pair.map { Scheduler.shared.chance(oneIn: 2) ? $0.first : $0.copy }
        return processes.withLock { processes in
            let process = processes.first { $0.role == .recordService && (store == nil || $0.store === store) }
            return process?.life.isOpen.load(ordering: .relaxed) == true ? process?.service : nil
        }
    }

    func start() {
        for (role, count) in counts { for _ in 0..<count { add(role) } }
    }

    /// - Parameter store: that of a record service; nil is the main one.
    func add(_ role: SimulatedProcess.Role, on store: SimulatedStore? = nil) {
        let isCompared = stores.withLock { $0.pair != nil }
        let process = SimulatedProcess(role, self, store ?? self.store, isCompared: isCompared)
        processes.withLock { $0.append(process) }
    }

    // MARK: Faults

    func meet(_ event: Fault.Event, _ choice: UInt64) {
        Trace.add("event \(event)")
        switch event {
        case .kill: kill(choice)
        case .expire: expire(choice)
        case .oldLeader: hideEntries(choice)
        case .rebalance: rebalance(choice)
        case .clockJump:
            // Minutes and hours, and twenty years, ahead and back.
            let years: Int64 = 86_400_000 * 365 * 20
            let jumps: [Int64] = [90_000, 7_200_000, years, -90_000, -years]
            clock.withLock { $0 += jumps[Int(choice % UInt64(jumps.count))] }
        }
    }

    /// Kills a process; its place in groups is free when its session has ended, and another life begins some time
    /// later.
    private func kill(_ choice: UInt64) {
        let victim = processes.withLock { processes -> SimulatedProcess? in
            guard !processes.isEmpty else { return nil }
            return processes.remove(at: Int(choice % UInt64(processes.count)))
        }
        guard let victim else { return }
        victim.kill()
        if victim.role == .recordService { stores.withLock { $0.hasDeaths = true } }
        Task {
            await Scheduler.shared.pass(.seconds(Scheduler.shared.random(below: 5)))
            if victim.role == .recordService {
                // The lock on a store's file lets one process have it: an operator may have begun another one by now.
                guard isRunning(victim.store), services(of: victim.store).isEmpty else { return }
                stores.withLock { $0.hasDeaths = true }
            }
            add(victim.role, on: victim.store)
        }
        Task {
            await Scheduler.shared.pass(.seconds(Scheduler.shared.random(below: 10)))
            expireTheDead()
        }
    }

    private func expireTheDead() {
        for (number, member) in log.members where member.life.isDead { _ = log.expire(number) }
    }

    private func expire(_ choice: UInt64) {
        let members = log.members
        guard !members.isEmpty else { return }
        guard let (member, lost) = log.expire(members[Int(choice % UInt64(members.count))].number) else { return }
        Task {
            // Until then it is a zombie.
            await Scheduler.shared.pass(.milliseconds(100 * Scheduler.shared.random(below: 100)))
            member.mailbox.put(.lost(lost))
            member.mailbox.end(LogError.unavailable("the member was taken for dead"))
        }
    }

    private func hideEntries(_ choice: UInt64) {
        let partitions = log.contents.withLock { contents in
            contents.topics.flatMap { name, topic in
                topic.partitions.indices.map { TopicPartition(name, Int32($0)) }
            }.sorted()
        }
        guard !partitions.isEmpty else { return }
        // What reads journals asks for their end once.
        let journals = partitions.filter { $0.topic == layout.journals }
        let some = choice >> 32 & 1 == 0 ? journals : partitions
        log.hideEntries(
            of: some[Int(choice % UInt64(some.count))], last: Int64(choice >> 34 & 3),
            for: .seconds(1 + Scheduler.shared.random(below: 20)))
    }

    /// Lets a broker lead a topic's first partition that does not know the last entries.
    func hideLast(of topic: TopicName) { hideLast(of: TopicPartition(topic)) }

    /// Lets a broker lead a partition that does not know the last entries.
    func hideLast(of partition: TopicPartition) {
        let count = Int64(Scheduler.shared.random(below: 4))
        let tenth = Double(5 + Scheduler.shared.random(below: 6)) / 10
        log.hideEntries(of: partition, last: count, for: .seconds(15) * tenth)
    }

    private func rebalance(_ choice: UInt64) {
        let roles = counts.dropFirst().filter { $0.count > 0 }.map(\.role)
        let role = roles[Int(choice % UInt64(roles.count))]
        if choice / UInt64(roles.count) % 2 == 0 { return add(role) }
        let leaver = processes.withLock { processes -> SimulatedProcess? in
            guard processes.filter({ $0.role == role }).count > 1,
                let index = processes.firstIndex(where: { $0.role == role })
            else { return nil }
            return processes.remove(at: index)
        }
        if let leaver { Task { await leaver.stop() } }
    }

    /// Takes all brokers away for longer than two looks at them, and cuts the ends of the partitions of changes, each by
    /// a number of its own: entries that are younger than the time for which the relay keeps published rows.
    func cutPower(_ choice: UInt64) {
        log.cutPower(for: .seconds(8))
        var choice = choice
        for database in DatabaseScope.allCases {
            for number in 0..<layout.partitions {
                let partition = TopicPartition(layout.changes(database), number)
                let count = log.loseTail(of: partition, Int(choice % 6), youngerThan: .seconds(30))
                if count > 0 { Trace.add("\(partition) loses its last \(count) entries") }
                choice /= 6
            }
        }
    }

    // MARK: What operators do

    func stopMatchers() { kill { $0.role == .matcher } }

    func startMatchers() { startMissing() }

    func stopSenders() async {
        guard hasPushes, await hasComeToRest() else { return }
        kill { $0.role == .pushSender }
        areSendersGone.store(true, ordering: .relaxed)
    }

    /// Retention removes all entries of `pushes`; the senders come back.
    func trimPushes() async {
        guard areSendersGone.exchange(false, ordering: .relaxed) else { return }
        await Scheduler.shared.pass(.seconds(60))
        log.contents.withLock { contents in
            for number in 0..<layout.partitions {
                try? contents.change(TopicPartition(layout.pushes, number)) {
                    ($0.entries, $0.start) = ([], $0.end)
                }
            }
        }
        pushes.noteTrim()
        startMissing()
    }

    func stopAll() { kill { _ in true } }

    func kill(_ isMeant: (SimulatedProcess) -> Bool) {
        let victims = processes.withLock { processes in
            defer { processes.removeAll(where: isMeant) }
            return processes.filter(isMeant)
        }
        for victim in victims { victim.kill() }
        expireTheDead()
    }

    func startMissing() {
        for store in stores.withLock({ $0.running }) where services(of: store).isEmpty {
            add(.recordService, on: store)
        }
        for (role, count) in counts where role != .recordService {
            let there = processes.withLock { $0.count { $0.role == role } }
            for _ in 0..<max(0, count - there) { add(role) }
        }
    }

    /// Loses something, and repairs what there is.
    func lose(_ loss: Script.Loss) async {
        let topic: TopicName? =
            switch loss {
            case .olderStore: nil
            case .changes: layout.changes(.public)
            case .deliveryState: layout.deliveryState
            case .deliveries: layout.deliveries
            case .commands: layout.commands
            }
        // Events on their way are lost with a topic, and no judge knows them.
        if topic != nil || hasLosses, await !hasComeToRest() { return }
        stopAll()
        if loss == .changes { hasLostChanges.store(true, ordering: .relaxed) }
        if let topic {
            log.remake(topic)
        } else if (try? store.restoreCopy()) != true {
            return startMissing()
        }
        try? store.dropCopy()
        losses.withLock { $0.append(loss) }
        if await !SimulatedRepair(self).run() { failures.withLock { $0.append("the repair does not end") } }
        startMissing()
    }

    /// Ends all faults, and sees to it that every role has a process.
    func heal() {
        log.plan.heal()
        log.heal()
        expireTheDead()
        startMissing()
    }

    /// Kills everything, so that the history's remaining tasks end.
    func end() {
        for process in processes.withLock({ processes in
            defer { processes = [] }
            return processes
        }) { process.kill() }
        for (_, member) in log.members { member.mailbox.end(LogError.closed) }
        log.bell.ringAll()
    }

    /// Deletes the public changes, once all are read, and recreates the topic; drops its positions, as a repair does.
    func remakeChanges() async {
        guard await hasComeToRest() else { return }
        let topic = layout.changes(.public)
        log.contents.withLock { contents in
            for number in 0..<layout.partitions {
                contents.committed[SubscriptionMatcher.group(layout)]?[TopicPartition(topic, number)] = nil
            }
        }
        log.remake(topic)
        hasLostChanges.store(true, ordering: .relaxed)
        // Until it is repaired, everybody refuses to begin.
        let life = Life()
        let port = SimulatedPort(log, life: life)
        let service = RecordService(
            layout: layout, store: StorePort(store: store, life: life), log: port, now: { self.now },
            serviceClock: SimulatedProcess.serviceClock)
        let repair = StoreRepair(service, log: port)
        for _ in 0..<100 {
            let isKept: ()? = try? await {
                // A relay that has not noticed ends by it.
                try await repair.begin(.repair)
                try await repair.keepIdentity()
            }()
            if isKept != nil { return }
            await Scheduler.shared.pass(.seconds(1))
        }
    }
}
