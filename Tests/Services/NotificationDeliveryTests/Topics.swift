import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

/// Topics as the writers of several instances left them, and what a reader of them sees.
struct Topics {
    /// The entries of each user in `journals`.
    private(set) var journals: [String: [FeedEntry]] = [:]
    private(set) var commands: [Command] = []
    private(set) var pushes: [PushEntry] = []

    mutating func append(_ entry: OutgoingEntry) throws {
        let layout = History.layout
        switch entry.partition.topic {
        case layout.journals:
            let message = try FeedEntry(decoding: entry.value!)
            #expect(entry.key == Array(message.user.utf8), "readers find a journal by its key")
            journals[message.user, default: []].append(message)
        case layout.commands: commands.append(try Command(decoding: entry.value!))
        case layout.pushes:
            let push = try PushEntry(decoding: entry.value!)
            #expect(push.hints.allSatisfy { $0.device.isEmpty })
            #expect(push.hints.isEmpty == (push.notification != nil), "older readers pass others by")
            expectNotified(push)
            pushes.append(push)
        default: Issue.record("an entry of \(entry.partition)")
        }
    }

    /// A push comes after the entry of the same name in the journal, as the device may read its feed then, and not to
    /// the device that caused it. Each target has an address: web couriers read the journal.
    private func expectNotified(_ push: PushEntry) {
        guard let entry = journals[push.user]?.last(where: { $0.source?.position == push.source?.position }) else {
            Issue.record("the journal of \(push.user) lacks \(push)")
            return
        }
        for target in push.targets {
            #expect(target.device != entry.device || target.epoch != entry.epoch, "\(target.device) caused it")
            #expect(target.since > 0, "\(target.device) has no address")
        }
    }

    /// The entries without those that do not advance (docs/delivery.md, rule 4).
    static func withoutRepeats(_ entries: [FeedEntry]) -> [FeedEntry] {
        var last: (Int64, Int32) = (-1, 0)
        return entries.filter { entry in
            let name = (entry.source!.offset, entry.source!.index)
            guard name > last else { return false }
            last = name
            return true
        }
    }

    /// Holds everything against the oracle; `context` names the run.
    func check(against oracle: Oracle, _ context: String) {
        for user in History.users.map(\.rawValue) {
            let journal = Self.withoutRepeats(journals[user] ?? [])
            let items = journal.map { Oracle.Item($0, isJournal: true) }
            Self.expect(items, oracle.journals[user] ?? [], "\(context) journal of \(user)")
            Self.checkNames(journal, context)
            for (life, expected) in oracle.feeds where life.user == user {
                let feed = life.seen(of: journal).map { Oracle.Item($0, isJournal: false) }
                Self.expect(feed, expected, "\(context) feed of \(life)")
            }
        }
        var last: (Int64, Int32) = (-1, 0)
        var items: [Oracle.Item] = []
        for command in commands.sorted(by: {
            ($0.source!.offset, $0.source!.index) < ($1.source!.offset, $1.source!.index)
        })
        where (command.source!.offset, command.source!.index) > last {
            last = (command.source!.offset, command.source!.index)
            guard case .deleteSubscription(let deletion)? = command.command else { continue }
            items.append(
                Oracle.Item(
                    input: command.source!.offset, text: "delete \(deletion.user) \(deletion.id) \(deletion.created)"))
        }
        #expect(items == oracle.commands, "\(context) commands")
        var newest: SourcePosition?
        let news = pushes.filter { push in
            guard let name = push.source?.position, newest.map(name.isAbove) ?? true else { return false }
            newest = name
            return true
        }
        #expect(news.map { Oracle.Item($0) } == oracle.pushes, "\(context) pushes")
    }

    /// The right entries in the right order.
    private static func expect(_ items: [Oracle.Item], _ expected: [Oracle.Item], _ context: String) {
        guard items != expected else { return }
        let place = zip(items, expected).prefix { $0 == $1 }.count
        Issue.record(
            "\(context): \(items.count) entries instead of \(expected.count), other at \(place): \(items.dropFirst(place).prefix(3)) instead of \(expected.dropFirst(place).prefix(3))"
        )
    }

    /// Each entry names the one before it, a registration in its mark as well (docs/delivery.md#change-tokens).
    private static func checkNames(_ journal: [FeedEntry], _ context: String) {
        var last: SourcePosition?
        for entry in journal {
            #expect(entry.predecessor?.position == last, "\(context): at \(entry.source!.position)")
            if case .registered(let mark)? = entry.entry {
                #expect(mark.journal?.position == last, "\(context) registration of \(mark.device)")
            }
            last = entry.source!.position
        }
    }
}
