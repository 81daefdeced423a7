import EventLog
import Testing

extension LogConformance {
    static let writingChecks: [Check] = [
        Check("appended entries come back unchanged") { environment in
            let partition = TopicPartition(try await environment.make("content", compact: true))
            let entries = [
                OutgoingEntry(
                    partition, key: [0, 255], value: [1, 0, 2], headers: [LogHeader("h", "ü"), LogHeader("h", "")],
                    timestamp: LogTimestamp(milliseconds: 1_234_567_890_123)),
                OutgoingEntry(partition, key: [1], value: nil, timestamp: LogTimestamp(milliseconds: 1)),
                OutgoingEntry(partition, key: [2], value: [], timestamp: LogTimestamp(milliseconds: 2)),
            ]
            let writer = try await environment.log.makeWriter()
            try await writer.append(entries)
            let follower = try await environment.log.follow(partition, from: 0)
            let read = try await follower.entries(3)
            for (index, pair) in zip(entries, read).enumerated() {
                #expect(pair.1.offset == Int64(index))
                #expect(pair.0.key == pair.1.key && pair.0.value == pair.1.value)
                #expect(pair.0.headers == pair.1.headers)
            }
        },
        Check("an entry whose time is far ahead or behind is taken and kept") { environment in
            let partition = TopicPartition(try await environment.make("clocks"))
            let writer = try await environment.log.makeWriter()
            let now = OutgoingEntry(partition, "now")
            for days in [0, 400, -400, 0] {
                var entry = now
                entry.timestamp.milliseconds += Int64(days) * 86_400_000
                try await writer.append([entry])
            }
            let follower = try await environment.log.follow(partition, from: 0)
            #expect(try await follower.entries(4).count == 4)
        },
        Check("an entry has the time of its append beside that of its event", needs: [.appendTimes]) { environment in
            let partition = TopicPartition(try await environment.make("appended"))
            let writer = try await environment.log.makeWriter()
            let before = OutgoingEntry.now.milliseconds
            for days in [-400, 0, 400, -400] as [Int64] {
                var entry = OutgoingEntry(partition, "\(days)")
                entry.timestamp.milliseconds += days * 86_400_000
                try await writer.append([entry])
            }
            let after = OutgoingEntry.now.milliseconds
            let follower = try await environment.log.follow(partition, from: 0)
            // The clock of a broker elsewhere differs.
            for entry in try await follower.entries(4) {
                #expect(
                    (before - 60_000...after + 60_000).contains(entry.appended.milliseconds),
                    "\(entry.text ?? ""): \(entry.appended)")
            }
        },
        Check("overlapping appends keep their own order, without gaps or repeats") { environment in
            let topic = try await environment.make("order", partitions: 3)
            let writer = try await environment.log.makeWriter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for round in 0..<20 {
                            try await writer.append(
                                (0..<3).map { OutgoingEntry(TopicPartition(topic, $0), "\(task) \(round)") })
                        }
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<Int32(3) {
                let follower = try await environment.log.follow(TopicPartition(topic, number), from: 0)
                let entries = try await follower.entries(160)
                #expect(entries.map(\.offset) == Array(0..<160))
                for task in 0..<8 {
                    let own = entries.compactMap(\.text).filter { $0.hasPrefix("\(task) ") }
                    #expect(own == (0..<20).map { "\(task) \($0)" })
                }
            }
        },
        Check("an entry that is too large is refused with its whole batch, and the writer lives on") { environment in
            let partition = TopicPartition(try await environment.make("large", messageBytesMax: 1000))
            let writer = try await environment.log.makeWriter()
            let large = OutgoingEntry(partition, String(repeating: "x", count: 2000))
            let failure = await #expect(throws: LogError.self) {
                try await writer.append([OutgoingEntry(partition, "before"), large, OutgoingEntry(partition, "after")])
            }
            guard case .entryTooLarge(partition, _, let maximum)? = failure else {
                Issue.record("not refused as too large: \(String(describing: failure))")
                return
            }
            #expect(maximum <= 1000)
            try await writer.append([OutgoingEntry(partition, "small")])
            let follower = try await environment.log.follow(partition, from: 0)
            #expect(try await follower.entries(1).map(\.text) == ["small"])
        },
        Check("appending to a topic that does not exist fails and says which", needs: [.topics]) { environment in
            let writer = try await environment.log.makeWriter()
            let partition = TopicPartition(environment.name("nowhere"))
            let failure = await #expect(throws: LogError.self) {
                try await writer.append([OutgoingEntry(partition, "x")])
            }
            #expect(failure?.description.contains(partition.topic.rawValue) == true, "\(String(describing: failure))")
        },
        Check("a closed writer refuses") { environment in
            let partition = TopicPartition(try await environment.make("closed"))
            let writer = try await environment.log.makeWriter()
            await writer.close()
            await #expect(throws: LogError.self) { try await writer.append([OutgoingEntry(partition, "x")]) }
        },
    ]
}
