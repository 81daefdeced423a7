import CloudMessages
import CloudModel
import EventLog
import JSON
import MemoryLog
import ProtocolBuffers
import RecordService
import SQLite
import TestSupport
import Testing

@testable import Inspection
@testable import Push

/// What happened to the push of a notification, from push-logs and `push-state`.
@Suite struct ExplainPushTests {
    /// A system whose notifications asked for pushes, with the push-log of a sender that is written by hand.
    private struct Pushing {
        let system: AuditedSystem
        let key: SubscriptionKey
        let folder = TemporaryFolder()
        var names: [String: SourcePosition] = [:]
        var changes: [String: CommitSequence] = [:]

        init(_ records: [String], policy: DeliveryPolicy? = nil) async throws {
            system = try await AuditedSystem(seed: 1)
            if let policy { try await system.subscribe("all", system.alice, policy: policy) }
            key = SubscriptionKey(user: system.alice.user!, database: .public, id: SubscriptionID(trusted: "all"))
            for record in records { try await system.save(record, 1, system.bob) }
            try await system.settle()
            for entry in try await system.journal(of: key.user) {
                guard case .query(let query)? = try FeedEntry(decoding: entry.value!).entry else { continue }
                names[query.recordName] = DeliveredEntry(entry, system.system.layout).name
                changes[query.recordName] = CommitSequence(query.change)
            }
        }

        var partition: TopicPartition { system.system.layout.pushes(of: key.user) }
        var phone: (device: DeviceID, epoch: DeviceEpoch) {
            (system.devices[0].device.id, system.devices[0].device.epoch)
        }

        func destination(_ kind: CourierKind) -> PushDestination {
            PushDestination(device: phone.device, epoch: phone.epoch, kind: kind)
        }

        /// Appends the entry of a record to `pushes`.
        /// - Returns: the offset behind it.
        @discardableResult
        func ask(_ record: String, _ kinds: [CourierKind], standingFor covered: [String] = []) async throws -> Int64 {
            var entry = PushEntry(
                source: SourcePositionMessage(names[record]!), user: key.user.rawValue, time: 5,
                targets: kinds.map {
                    PushTarget(device: phone.device.rawValue, epoch: phone.epoch.rawValue, courier: $0.rawValue)
                })
            entry.notification = QueryNotification(
                database: key.database.rawValue, subscription: key.id.rawValue, change: changes[record]!.rawValue,
                covered: covered.map { changes[$0]!.rawValue })
            try await system.memory.withWriter { writer in
                try await writer.append([
                    OutgoingEntry(
                        partition, key: nil, value: entry.encoded(), timestamp: LogTimestamp(milliseconds: 5))
                ])
            }
            return try await system.log.bounds(of: [partition])[partition]!.end
        }

        /// Commits as a push sender does.
        func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64) async throws {
            let layout = system.system.layout
            let session = try await system.memory.takeOver(
                StateClaim(
                    input: partition, group: layout.pushGroup,
                    state: TopicPartition(layout.pushState, partition.partition)))
            try await session.commit(changes, offset: offset, at: LogTimestamp(milliseconds: 5))
            await session.close()
        }

        func note(_ record: String, _ kind: CourierKind, _ outcome: PushSenderMetrics.Outcome, at time: Int64)
            -> PushNote
        {
            PushNote(
                name: names[record]!, destination: destination(kind), user: key.user, outcome: outcome, merged: 1,
                tries: 0, handed: Timestamp(milliseconds: time), noted: Timestamp(milliseconds: time))
        }

        /// Writes a push-log.
        func log(_ notes: [PushNote], in file: String = "push-log") async throws -> String {
            let log = try PushLog(path: folder.path(file), rowsMax: 1000) { Timestamp(milliseconds: 10_000) }
            for note in notes { log.note(note) }
            await log.close()
            return folder.path(file)
        }

        /// The steps of pushes.
        func explain(_ record: String, _ logs: [String]) async throws -> [Explanation.Step] {
            let explanation = try await Explainer(
                system.evidence(on: system.log), pushLogs: PushLogs(logs)
            ).explain(try #require(changes[record]), key)
            #expect(explanation.verdict == .notified([phone.device]), "\(explanation.lines)")
            return explanation.steps.drop { $0.kind != .push }.map { $0 }
        }

        /// The steps of pushes in the way of a notification.
        func way(_ record: String, _ logs: [String]) async throws -> [NotificationWay.Step] {
            let question = WayFinder.Question(
                change: try #require(changes[record]), user: key.user, subscription: key.id)
            let way = try await WayFinder(system.evidence(on: system.log), pushLogs: PushLogs(logs)).way(question)
            return try #require(way).steps.filter { $0.kind == .push }
        }
    }

    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test("pushes that were sent, sent in vain, collapsed and dropped have steps, with facts for programs")
    func ends() async throws {
        try await within {
            let pushing = try await Pushing(["a", "b"])
            let first = try await pushing.ask("a", [.apns, .webhook, .web])
            try await pushing.commit([:], offset: try await pushing.ask("b", [.apns, .webhook, .web]))
            var vain = pushing.note("a", .apns, .failed, at: 1000)
            (vain.sent, vain.answered, vain.status) = (Self.time(1010), Self.time(1020), 503)
            (vain.reason, vain.due) = ("ServiceUnavailable", Self.time(1500))
            var collapsed = pushing.note("a", .apns, .collapsed, at: 1200)
            collapsed.successor = pushing.names["b"]
            var sent = pushing.note("b", .apns, .sent, at: 1200)
            (sent.sent, sent.answered, sent.status, sent.merged) = (Self.time(1510), Self.time(1520), 200, 2)
            var removed = pushing.note("a", .webhook, .removed, at: 1000)
            (removed.sent, removed.answered, removed.status) = (Self.time(1010), Self.time(1020), 410)
            (removed.reason, removed.since) = ("gone", Self.time(500))
            var expired = pushing.note("b", .webhook, .dropped, at: 1200)
            expired.reason = "expired"
            // Two senders: the partition moved.
            let logs = [
                try await pushing.log([vain, removed]),
                try await pushing.log([collapsed, sent, expired], in: "other"),
            ]
            let steps = try await pushing.explain("a", logs)
            #expect(steps.map(\.kind) == [.push, .handed, .sent, .collapsed, .handed, .sent, .handed, .dropped])
            #expect(steps.map(\.outcome) == [.yes, .yes, .no, .yes, .yes, .yes, .yes, .no])
            let texts = steps.map(\.text)
            let id = PushID(
                of: pushing.names["b"]!, to: pushing.phone.device, pushing.phone.epoch, kind: .apns)
            for (index, words) in [
                (0, "at \(first - 1): asks for a push to phone (epoch 1) by apns, phone (epoch 1) by webhook"),
                (1, "handed to the push sender at 1970-01-01T00:00:01.000Z"),
                (2, "sent to APNs at 1970-01-01T00:00:01.010Z, answered 503 ServiceUnavailable; sent again from"),
                (3, "collapsed into the push of \(pushing.names["b"]!)"),
                (5, "sent to APNs at 1970-01-01T00:00:01.510Z, answered 200 with apns-id \(id); it stands for 2"),
                (7, "dropped: token gone since 1970-01-01T00:00:00.500Z"), (7, "answered 410 gone"),
            ] { #expect(texts[index].contains(words), "\(texts[index])") }
            #expect(
                steps[5].facts == [
                    "deviceID": "phone", "epoch": 1, "kind": "apns", "outcome": "sent",
                    "pushID": .string("\(id)"), "merged": 2, "tries": 0, "status": 200, "handedAt": 1200,
                    "sentAt": 1510, "answeredAt": 1520,
                ])
            let other = try await pushing.explain("b", logs)
            #expect(other.last?.text.hasSuffix("its time was over before it could be sent (expired)") == true)
            await pushing.system.stop()
        }
    }

    @Test("pushes that wait are found in push-state; where evidence is absent the step says so")
    func absence() async throws {
        try await within {
            let pushing = try await Pushing(["a", "b", "c", "d"])
            try await pushing.ask("a", [.apns])
            let next = try await pushing.ask("b", [.apns])
            try await pushing.ask("c", [.apns])
            let waiting = WaitingPushMessage(
                source: SourcePositionMessage(pushing.names["b"]!), merged: 2, isVisible: true, time: 5, tries: 3,
                due: 9000)
            let row = PushStateMessage(
                user: pushing.key.user.rawValue, settled: nil, waiting: waiting
            ).encoded()
            try await pushing.commit([pushing.destination(.apns).key: row], offset: next)
            func last(_ record: String, _ logs: [String]) async throws -> Explanation.Step {
                try #require(try await pushing.explain(record, logs).last)
            }
            let waits = try await last("b", [])
            #expect(waits.kind == .waits && waits.outcome == .unknown && waits.facts["dueAt"] == 9000)
            for words in ["waits for the provider until 1970-01-01T00:00:09.000Z", "3 times in vain", "stands for 2"] {
                #expect(waits.text.contains(words), "\(waits.text)")
            }
            let merged = try await last("a", [])
            #expect(merged.kind == .collapsed && merged.text.contains("no push-log was given"), "\(merged.text)")
            let unread = try await last("c", [])
            #expect(unread.text.contains("not handed to a push sender yet (they are at \(next))"), "\(unread.text)")
            let none = try await last("d", [])
            #expect(none.kind == .push && none.outcome == .no && none.text.contains("no push is asked for"))
            // Settled, without a note.
            let newest = ["a", "b"].map { pushing.names[$0]! }.max { $1.isAbove($0) }!
            let settled = PushStateMessage(
                user: pushing.key.user.rawValue, settled: SourcePositionMessage(newest)
            ).encoded()
            try await pushing.commit([pushing.destination(.apns).key: settled], offset: next + 1)
            let log = try await pushing.log([pushing.note("c", .apns, .sent, at: 8000)])
            let done = try await last("a", [log])
            #expect(done.text.contains("it is done with") && done.text.contains("has nothing of it"), "\(done.text)")
            #expect(done.text.contains("it begins at 1970-01-01T00:00:08.000Z"), "\(done.text)")
            // A file that is no push-log, and one that is not there.
            try SQLiteConnection.open(SQLiteConfiguration(path: pushing.folder.path("x"))).execute(
                "CREATE TABLE other (a)")
            let faulty = try await pushing.explain("a", [pushing.folder.path("x"), pushing.folder.path("absent")])
            #expect(faulty.count { $0.text.contains("a push-log cannot be read") } == 2, "\(faulty.map(\.text))")
            await pushing.system.stop()
        }
    }

    @Test("a push that a policy held is found under its own name, with what the push sender did")
    func held() async throws {
        try await within {
            let pushing = try await Pushing(
                ["a", "b", "c"], policy: DeliveryPolicy(.digest(windowSeconds: 60, count: nil)))
            let held = try await pushing.ask("c", [.apns], standingFor: ["a"])
            try await pushing.commit([:], offset: try await pushing.ask("b", [.apns]))
            var sent = pushing.note("c", .apns, .sent, at: 1200)
            (sent.sent, sent.answered, sent.status) = (Self.time(1510), Self.time(1520), 200)
            let log = try await pushing.log([sent])
            let steps = try await pushing.explain("a", [log])
            #expect(steps.map(\.kind) == [.push, .handed, .sent] && steps.allSatisfy { $0.outcome == .yes })
            #expect(
                steps.first?.text.contains("at \(held - 1): asks for a push to phone (epoch 1) by apns") == true)
            // The later one does not stand for this.
            #expect(try await pushing.explain("b", []).count { $0.kind == .push } == 1)
            let way = try await pushing.way("a", [log])
            #expect(way.compactMap { $0.facts["state"]?.string } == ["asked", "handed", "sent"])
            #expect(way.first?.text.contains("a push for 2 changes to phone") == true)
            #expect(way.first?.place?.offset == held - 1)
            #expect(try await pushing.way("b", []).map(\.text) == ["a push to phone (epoch 1) by apns was asked for"])
            await pushing.system.stop()
        }
    }

    @Test("of many times in vain the first and the last are shown")
    func failures() async throws {
        try await within {
            let pushing = try await Pushing(["a"])
            try await pushing.commit([:], offset: try await pushing.ask("a", [.apns]))
            let notes = (Int64(0)..<50).map { number in
                var note = pushing.note("a", .apns, .failed, at: 1000 + number)
                (note.sent, note.reason, note.tries) = (Self.time(1000 + number), "time-out", Int(number))
                return note
            }
            let steps = try await pushing.explain("a", [try await pushing.log(notes)])
            #expect(steps.count { $0.text.contains("not answered (time-out)") } == 10)
            #expect(steps.contains { $0.text.contains("sent 40 more times in vain") })
            #expect(steps.contains { $0.facts["tries"] == 49 } && steps.last?.outcome == .unknown)
            await pushing.system.stop()
        }
    }
}
