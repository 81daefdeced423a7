import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

/// Topics as the writers of several instances left them, and what a reader of them sees.
struct Topics {
    private(set) var entries: [TopicName: [FeedEntry]] = [:]
    private(set) var commands: [Command] = []
    private(set) var pushes: [PushEntry] = []
    /// The feeds as they were when they were deleted first.
    private(set) var deleted: [TopicName: [FeedEntry]] = [:]
    /// Keeps deleted topics for inspection.
    var keepsDeleted = true

    mutating func create(_ names: [TopicName]) {
        for name in names where entries[name] == nil { entries[name] = [] }
    }

    mutating func delete(_ name: TopicName) {
        guard let last = entries.removeValue(forKey: name) else { return }
        if deleted[name] == nil { deleted[name] = last }
    }

    /// Appends an entry; false when its topic does not exist.
    mutating func append(_ entry: OutgoingEntry) throws -> Bool {
        let topic = entry.partition.topic
        if topic == History.layout.commands {
            commands.append(try Command(decoding: entry.value!))
            return true
        }
        if topic == History.layout.pushes {
            let push = try PushEntry(decoding: entry.value!)
            // Hints are cut by steps, and rest on nothing.
            guard push.hints.allSatisfy(\.device.isEmpty) else { return true }
            #expect(push.hints.isEmpty == (push.notification != nil), "older readers pass others by")
            expectNotified(push)
            pushes.append(push)
            return true
        }
        guard entries[topic] != nil else { return false }
        entries[topic]!.append(try FeedEntry(decoding: entry.value!))
        return true
    }

    /// A push comes after the entry of the same name in each of its devices' feeds: a courier may read it there. Feeds
    /// have no badges that were set.
    private func expectNotified(_ push: PushEntry) {
        if push.notification == nil, push.read.isEmpty, push.omitted == nil { return }
        for target in push.targets {
            guard let feed = entries[TopicName("\(History.layout.feedPrefix)\(target.device).\(target.epoch)")],
                keepsDeleted
            else { continue }
            #expect(feed.contains { $0.source?.position == push.source?.position }, "\(target.device) lacks it")
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
        let layout = History.layout
        for user in History.users {
            let journal = Self.withoutRepeats(entries[layout.journal(user)] ?? [])
            expect(journal, oracle.journals[user.rawValue] ?? [], isJournal: true, "\(context) journal of \(user)")
            checkRegistrations(journal, context)
        }
        for (life, items) in oracle.feeds {
            let topic = TopicName("\(layout.feedPrefix)\(life)")
            let isEnded = oracle.ended.contains(life)
            if isEnded, !keepsDeleted { continue }
            let feed = Self.withoutRepeats((isEnded ? deleted[topic] : entries[topic]) ?? [])
            expect(feed, items, isJournal: false, "\(context) feed \(life)")
            checkNames(feed, context)
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

    /// The right entries in the right order, each naming the one before it.
    private func expect(_ found: [FeedEntry], _ expected: [Oracle.Item], isJournal: Bool, _ context: String) {
        let items = found.map { Oracle.Item($0, isJournal: isJournal) }
        if items != expected {
            let place = zip(items, expected).prefix { $0 == $1 }.count
            Issue.record(
                "\(context): \(items.count) entries instead of \(expected.count), other at \(place): \(items.dropFirst(place).prefix(3)) instead of \(expected.dropFirst(place).prefix(3))"
            )
        }
        var predecessor: SourcePositionMessage?
        for entry in found {
            #expect(entry.predecessor?.position == predecessor?.position, "\(context): at \(entry.source!.position)")
            predecessor = entry.source
        }
    }

    /// A feed's first entry names the journal's last entry before it (docs/delivery.md#change-tokens).
    private func checkRegistrations(_ journal: [FeedEntry], _ context: String) {
        var last: SourcePosition?
        for entry in journal {
            if case .registered(let mark)? = entry.entry {
                #expect(mark.journal?.position == last, "\(context) registration of \(mark.device)")
                let topic = TopicName("\(History.layout.feedPrefix)\(mark.device).\(mark.epoch)")
                if case .registered(let first)? = (deleted[topic] ?? entries[topic])?.first?.entry {
                    #expect(first.journal?.position == last, "\(context) first entry of \(topic)")
                }
            }
            last = entry.source!.position
        }
    }

    /// The same notification has the same name in the journal and in every feed.
    private func checkNames(_ feed: [FeedEntry], _ context: String) {
        guard let user = feed.first?.user else { return }
        let journal = Self.withoutRepeats(entries[TopicName("\(History.layout.prefix)journal.\(user)")] ?? [])
        var names: [SourcePosition: String] = [:]
        for entry in journal { names[entry.source!.position] = Self.subject(entry) }
        for entry in feed { #expect(names[entry.source!.position] == Self.subject(entry), "\(context)") }
    }

    private static func subject(_ entry: FeedEntry) -> String {
        switch entry.entry! {
        case .query(let query): "\(query.subscription) \(query.change)"
        case .read(let mark): "read \(mark.change)"
        case .omitted(let rest): "omitted \(rest.count) of \(rest.change)"
        case .badge(let mark): "badge \(mark.value)"
        case .registered(let mark): "registered \(mark.epoch)"
        case .unregistered(let mark): "unregistered \(mark.epoch)"
        }
    }
}
