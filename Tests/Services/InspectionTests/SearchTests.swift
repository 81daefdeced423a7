import CloudMessages
import CloudModel
import EventLog
import JSON
import MemoryLog
import ProtocolBuffers
import RecordService
import Synchronization
import TestSupport
import Testing

@testable import Inspection

/// Searches by halves, and the way of a notification as data.
@Suite struct SearchTests {
    /// A log in which some partitions hold something else, in pages of a hundred entries, which are counted.
    private final class PagedLog: ForwardingLog {
        static let pageEntries = 100
        let base: any EventLog
        private let entries: [TopicPartition: [LogEntry]]
        private let count = Mutex(0)
        /// Entries that were read.
        var read: Int { count.withLock { $0 } }

        init(_ base: any EventLog, _ entries: [TopicPartition: [LogEntry]]) {
            self.base = base
            self.entries = entries
        }

        func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
            var bounds = try await base.bounds(of: partitions.filter { entries[$0] == nil })
            for partition in partitions {
                guard let own = entries[partition] else { continue }
                bounds[partition] = OffsetBounds(start: own[0].offset, end: own[own.count - 1].offset + 1)
            }
            return bounds
        }

        func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
            guard let own = entries[partition] else { return try await base.follow(partition, from: offset) }
            return Pages(entries: own, next: Mutex(offset)) { read in self.count.withLock { $0 += read } }
        }

        private final class Pages: LogFollower {
            let entries: [LogEntry]
            let next: Mutex<Int64>
            let count: @Sendable (Int) -> Void

            init(entries: [LogEntry], next: consuming sending Mutex<Int64>, count: @escaping @Sendable (Int) -> Void) {
                self.entries = entries
                self.next = next
                self.count = count
            }

            func next() async throws -> LogBatch {
                let end = entries[entries.count - 1].offset + 1
                let page = Array(entries[place(of: next.withLock { $0 })...].prefix(PagedLog.pageEntries))
                let after = page.last.map { $0.offset + 1 } ?? end
                next.withLock { $0 = after }
                count(page.count)
                return LogBatch(entries: page, nextOffset: after, isAtEnd: after == end)
            }

            func close() {}

            /// The place of the first entry from an offset on.
            private func place(of offset: Int64) -> Int {
                var (low, high) = (0, entries.count)
                while low < high {
                    let middle = (low + high) / 2
                    if entries[middle].offset < offset { low = middle + 1 } else { high = middle }
                }
                return low
            }
        }
    }

    private static func entry(_ offset: Int64, time: Int64, key: [UInt8]? = nil, value: [UInt8] = []) -> LogEntry {
        LogEntry(
            offset: offset, timestamp: LogTimestamp(milliseconds: time), key: key, value: value, headers: [])
    }

    private func evidence(_ log: any EventLog) -> LogEvidence {
        let layout = TopicLayout(
            ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development))
        return LogEvidence(
            log: log, layout: layout, groups: .init(matching: GroupName("m"), delivery: GroupName("d"))
        ) { _, _ in [:] }
    }

    @Test("the first entry that is not before is found as by reading all, also among entries without order")
    func search() async throws {
        let seed = TestSeeds.first
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let start = Int64.random(in: 0..<50, using: &generator)
            let count = Int64.random(in: 1..<6000, using: &generator)
            var time: Int64 = 0
            let entries = (0..<count).map { index in
                time += Int64.random(in: 0..<3, using: &generator)
                return Self.entry(start + index, time: time)
            }
            let unordered = Set((0..<count).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 })
            let partition = TopicPartition(TopicName("t"))
            let evidence = evidence(PagedLog(MemoryLog(), [partition: entries]))
            let reader = try #require(try await evidence.reader(of: partition))
            let held = OffsetBounds(start: start, end: start + count)
            for _ in 0..<20 {
                let sought = Int64.random(in: -2...(time + 2), using: &generator)
                let exact = try await evidence.firstNotBefore(reader, in: held) {
                    $0.timestamp.milliseconds < sought
                }
                let naive = entries.first { $0.timestamp.milliseconds >= sought }?.offset ?? held.end
                #expect(exact == naive, "seed \(seed), round \(round), \(sought)")
                let found = try await evidence.firstNotBefore(reader, in: held) {
                    unordered.contains($0.offset - start) ? nil : $0.timestamp.milliseconds < sought
                }
                let first = entries.first {
                    !unordered.contains($0.offset - start) && $0.timestamp.milliseconds >= sought
                }
                let last = entries.last {
                    !unordered.contains($0.offset - start) && $0.timestamp.milliseconds < sought
                }
                // Between the last that is before and the first that is not: all that is sought lies behind it.
                #expect(
                    found <= first?.offset ?? held.end && found > last?.offset ?? -1,
                    "seed \(seed), round \(round), \(sought)")
            }
        }
    }

    @Test("an explanation on a long history reads some pages, and says what it says on a short one")
    func longHistory() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 3)
            for name in ["a", "b", "c"] { try await system.save(name, 1, system.bob) }
            try await system.settle()
            let layout = system.system.layout
            let key = SubscriptionKey(user: system.alice.user!, database: .public, id: SubscriptionID(trusted: "all"))
            let device = system.devices[0].device
            var long: [TopicPartition: [LogEntry]] = [:]
            for partition in [layout.journals(of: key.user), layout.deliveries(of: key.user)] {
                long[partition] = try Self.lengthened(
                    try await AuditedSystem.entries(partition, system.log), by: 100_000,
                    journal: partition.topic == layout.journals ? layout.userKey(key.user) : nil)
            }
            let log = PagedLog(system.log, long)
            let own = system.evidence(on: system.log)
            // Stage 2 has come to the end.
            let ends = long.mapValues { LogPosition(offset: $0[$0.count - 1].offset + 1) }
            let evidence = LogEvidence(log: log, layout: layout, groups: own.groups) { group, partitions in
                try await own.committed(group, partitions).merging(ends.filter { partitions.contains($0.key) }) { $1 }
            }
            for entry in try await system.journal(of: key.user) {
                let delivered = DeliveredEntry(entry, layout)
                guard let subject = delivered.subject, subject.subscription == key.id.rawValue else { continue }
                let short = try await Explainer(system.evidence(on: system.log)).explain(subject.change, key)
                let before = log.read
                let explained = try await Explainer(evidence).explain(subject.change, key)
                #expect(explained.verdict == short.verdict && short.verdict == .notified([device.id]))
                // Two topics of 100,000 entries, eight halves of a page each.
                #expect(log.read - before <= 2 * 15 * PagedLog.pageEntries, "\(log.read - before) entries were read")
                #expect(explained.json["way"] == short.json["way"])
            }
            await system.stop()
        }
    }

    /// The entries, with as many later ones behind them.
    /// - Parameter key: that of the user whose journal becomes so much longer; nil for `deliveries`.
    private static func lengthened(_ entries: [LogEntry], by count: Int64, journal key: [UInt8]?) throws -> [LogEntry] {
        let last = try #require(entries.last)
        let later = last.timestamp.milliseconds + 10 * LogEvidence.clockMillisecondsMax
        let model = try #require(entries.last { key == nil || $0.key == key })
        return entries
            + (try (1...count).map { number in
                var entry = Self.entry(last.offset + number, time: later + number, key: key)
                if key != nil {
                    var message = try FeedEntry(decoding: model.value ?? [])
                    message.source?.offset += number
                    entry.value = message.encoded()
                } else {
                    var message = DeliveryEntry()
                    message.user = "_somebody"
                    message.time = later + number
                    entry.value = message.encoded()
                }
                return entry
            })
    }

    @Test("a change that never was costs some pages, and an earlier writer's late repeats hide none")
    func changes() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 3)
            try await system.save("a", 1, system.bob)
            try await system.settle()
            let memory = system.evidence(on: system.log)
            var found: (place: TopicPartition, event: ChangeEvent)?
            for partition in memory.changes where partition.topic == memory.layout.changes(.public) {
                _ = try await memory.read(partition) { entry in
                    let event = try? entry.value.map { try ChangeEvent(decoding: $0) }
                    if let event, !event.boundary { found = (partition, event) }
                }
            }
            let (place, event) = try #require(found)
            // Even numbers, and two steps of rows of an earlier writer that come when later ones are there.
            var numbers = (1...100_000 as ClosedRange<Int64>).map { $0 * 2 }
            numbers.insert(contentsOf: numbers[48_000..<49_900], at: 50_000)
            numbers.insert(contentsOf: numbers[1_000..<1_900], at: 2_000)
            let entries = numbers.enumerated().map { offset, number in
                var event = event
                event.source?.offset = number
                return Self.entry(Int64(offset), time: 0, value: event.encoded())
            }
            let log = PagedLog(system.log, [place: entries])
            let evidence = system.evidence(on: log)
            for index in [0, 950, 1_850, 1_950, 1_999, 2_950, 47_999, 49_850, 49_950, 50_850, 101_000, 102_799] {
                let before = log.read
                let change = try await FoundChange.find(CommitSequence(numbers[index]), in: .public, evidence)
                let place = try #require(change, "\(index)").offset
                #expect(entries[Int(place)].value == entries[index].value, "\(index)")
                #expect(log.read - before <= 12_000, "\(index): \(log.read - before) entries were read")
            }
            for missing in [1, 3_001, 99_001, 100_001, 199_999, 200_001, 1_000_000] as [Int64] {
                let before = log.read
                #expect(try await FoundChange.find(CommitSequence(missing), in: .public, evidence) == nil)
                #expect(log.read - before <= 12_000, "\(missing): \(log.read - before) entries were read")
            }
            await system.stop()
        }
    }

    @Test("a search keeps the notification and the push that it found before its budget ended")
    func spent() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 3)
            try await system.save("a", 1, system.bob)
            try await system.settle()
            let layout = system.system.layout
            let user = system.alice.user!
            let (journal, pushes, key) = (layout.journals(of: user), layout.pushes(of: user), layout.userKey(user))
            var entries = try await AuditedSystem.entries(journal, system.log)
            let place = try #require(entries.lastIndex { $0.key == key && DeliveredEntry($0, layout).subject != nil })
            entries = Array(entries[...place])
            let notification = DeliveredEntry(entries[place], layout)
            let change = try #require(notification.subject).change
            let mark = FeedEntry(user: user.rawValue, entry: .read(ReadMark(change: 0))).encoded()
            let push = PushEntry(
                source: SourcePositionMessage(notification.name), user: user.rawValue,
                notification: QueryNotification(change: change.rawValue))
            let later = (1...Int64(3 * PagedLog.pageEntries)).map {
                Self.entry(notification.offset + $0, time: 0, key: key, value: mark)
            }
            let log = PagedLog(
                system.log,
                [
                    journal: entries + later,
                    pushes: [Self.entry(0, time: 0, value: push.encoded())]
                        + later.indices.map { Self.entry(Int64($0) + 1, time: 0, value: PushEntry().encoded()) },
                ])
            // A page that leads to the place, and one of the reading from there on.
            let question = WayFinder.Question(change: change, user: user)
            func search() -> WaySearch {
                WaySearch(system.evidence(on: log).bounded(bytes: 2 * ReadingBudget.pageBytesMin), question)
            }
            var found = WaySearch.Found()
            await #expect(throws: ReadingBudget.Spent.self) { try await search().find(&found) }
            #expect(found.journal?.offset == notification.offset)
            // What it had no bytes left to look for is not called gone.
            var builder = WayBuilder(question, layout)
            #expect(builder.take(found, isWhole: false) && builder.way.steps.map(\.kind) == [.commit, .journal])
            guard case .found(let asked) = try await search().pushes(of: notification) else {
                Issue.record("the push is not kept")
                return
            }
            #expect(asked.map(\.name) == [notification.name])
            // Where nothing was found, nothing is known.
            var other = notification
            other.name.offset += 1
            await #expect(throws: ReadingBudget.Spent.self) { try await search().pushes(of: other) }
            await system.stop()
        }
    }

    @Test("the way agrees with the topics, offset for offset, on random histories", arguments: [5, 6, 7])
    func ways(seed: UInt64) async throws {
        try await within {
            var system = try await AuditedSystem(seed: seed)
            try await system.live(60)
            let layout = system.system.layout
            let explainer = Explainer(system.evidence(on: system.log))
            var seen = 0
            for user in [system.alice.user!, system.bob.user!] {
                for entry in try await system.journal(of: user) {
                    let delivered = DeliveredEntry(entry, layout)
                    guard let subject = delivered.subject else { continue }
                    let key = SubscriptionKey(
                        user: user, database: .public, id: SubscriptionID(trusted: subject.subscription))
                    let explanation = try await explainer.explain(subject.change, key)
                    let stages = explanation.way
                    func place(_ stage: String) -> JSONValue? {
                        stages.first { $0["stage"]?.string == stage }?["place"]
                    }
                    #expect(place("journal")?["offset"]?.integer == entry.offset, "\(explanation.lines)")
                    #expect(place("journal")?["time"]?.integer == entry.timestamp.milliseconds)
                    #expect(place("deliveries")?["offset"]?.integer == delivered.name.offset)
                    for stage in stages where stage["stage"]?.string == "feed" {
                        #expect(stage["place"]?["offset"]?.integer == entry.offset, "\(explanation.lines)")
                        #expect(stage["deviceID"]?.string != delivered.device, "\(explanation.lines)")
                    }
                    let times = stages.compactMap { $0["time"]?.integer }
                    #expect(times.first == delivered.time.milliseconds)
                    seen += 1
                }
            }
            #expect(seen > 0)
            await system.stop()
        }
    }

    @Test("values are left out where they are not to be read, and the answer says so")
    func values() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            try await system.subscribe("large", system.alice, atLeast: 987_654)
            try await system.save("small", 123_456, system.bob)
            try await system.settle()
            let key = SubscriptionKey(user: system.alice.user!, database: .public, id: SubscriptionID(trusted: "large"))
            let evidence = system.evidence(on: system.log)
            var change: CommitSequence?
            for partition in evidence.changes {
                _ = try await evidence.read(partition) { entry in
                    let met = try? ChangeEvent(decoding: entry.value ?? []).change()
                    if met?.matched?.name.rawValue == "small" { change = met?.sequence }
                }
            }
            let sequence = try #require(change)
            func json(_ hasValues: Bool) async throws -> (text: String, json: JSONValue) {
                let explanation = try await Explainer(evidence, hasValues: hasValues).explain(sequence, key)
                let json = JSONValue.object(explanation.json(numbersAsStrings: true))
                let lines = explanation.lines.joined(separator: "\n")
                return (lines + String(decoding: try json.serialized(), as: UTF8.self), json)
            }
            let whole = try await json(true)
            let predicate = whole.json["steps"]?.array?.first { $0["step"] == "predicate" }
            #expect(predicate?["after"]?["value"]?["value"] == "123456", "\(whole.text)")
            #expect(predicate?["after"]?["operand"]?["value"] == "987654" && predicate?["after"]?["decides"] == true)
            #expect(whole.json["verdictCode"] == "doesNotFire" && whole.json["valuesLeftOut"] == nil)
            let reduced = try await json(false)
            for value in ["123456", "987654"] {
                #expect(whole.text.contains(value) && !reduced.text.contains(value), "\(reduced.text)")
            }
            #expect(reduced.json["valuesLeftOut"] == true)
            #expect(
                reduced.json["steps"]?.array?.first { $0["step"] == "predicate" }?["after"]?["holds"] == false)
            await system.stop()
        }
    }
}
