import EventLog
import Testing

extension LogConformance {
    static let topicChecks: [Check] = [
        Check("a log says which it is, and always the same") { environment in
            let identity = try await environment.log.identity()
            #expect(!identity.isEmpty)
            _ = try await environment.make("identity")
            #expect(try await environment.log.identity() == identity)
        },
        Check("a topic is made once and described as it was wished", needs: [.topics]) { environment in
            let name = environment.name("made")
            let wish = TopicSpecification(
                name: name, partitions: 3, cleanup: .delete(afterMilliseconds: 86_400_000), messageBytesMax: 123_456,
                isSource: true)
            #expect(try await environment.log.createTopics([wish])[name] == .created)
            #expect(try await environment.log.createTopics([wish])[name] == .existed)
            let found = try #require(try await environment.log.describeTopics([name])[name])
            #expect(found.partitions == 3 && found.messageBytesMax == 123_456)
            #expect(found.cleanup == .delete(afterMilliseconds: 86_400_000))
            #expect(found.incarnation != nil)
        },
        Check("an existing topic gets the wanted settings", needs: [.topics]) { environment in
            let name = try await environment.make("configured", messageBytesMax: 1000)
            let writer = try await environment.log.makeWriter()
            let large = OutgoingEntry(TopicPartition(name), String(repeating: "x", count: 2000))
            await #expect(throws: LogError.self) { try await writer.append([large]) }
            let wish = TopicSpecification(
                name: name, partitions: 1, cleanup: .delete(afterMilliseconds: 3_600_000), messageBytesMax: 4000,
                isSource: true)
            let absent = TopicSpecification(
                name: environment.name("not-there"), partitions: 1, cleanup: .compact, messageBytesMax: 4000)
            #expect(try await environment.log.configureTopics([wish, absent]).isEmpty)
            let found = try await answer("the new settings") { () -> TopicDescription? in
                let found = try await environment.log.describeTopics([name, absent.name])
                #expect(found[absent.name] == nil)
                return found[name]?.messageBytesMax == 4000 && found[name]?.incarnation != nil ? found[name] : nil
            }
            #expect(found.cleanup == wish.cleanup && found.agesFromAppend && found.keepsAcknowledged)
            #expect(try await environment.log.configureTopics([wish]).isEmpty)
            #expect(try await environment.log.describeTopics([name])[name] == found)
            try await writer.append([large])
            await writer.close()
        },
        Check("an absent topic is left out of descriptions and deleting it is success", needs: [.topics]) {
            environment in
            let name = environment.name("absent")
            #expect(try await environment.log.describeTopics([name]).isEmpty)
            _ = try await environment.log.deleteTopics([name])
        },
        Check("a recreated topic has another incarnation and offsets from 0", needs: [.topics, .deletion]) {
            environment in
            let name = try await environment.make("again", isSource: true)
            let writer = try await environment.log.makeWriter()
            try await writer.append([OutgoingEntry(TopicPartition(name), "old")])
            let first = try await environment.log.describeTopics([name])[name]?.incarnation
            _ = try await environment.log.deleteTopics([name])
            try await eventually("the topic's deletion") { try await environment.log.describeTopics([name]).isEmpty }
            _ = try await environment.make("again", isSource: true)
            let second = try await environment.log.describeTopics([name])[name]?.incarnation
            #expect(first != nil && second != nil && first != second)
            try await eventually("empty bounds") {
                try await environment.log.bounds(of: [TopicPartition(name)])[TopicPartition(name)]
                    == OffsetBounds(start: 0, end: 0)
            }
        },
        Check("topics are found by prefix", needs: [.topics]) { environment in
            let names = [try await environment.make("p.a"), try await environment.make("p.b")]
            _ = try await environment.make("q.a")
            let prefix = environment.name("p.").rawValue
            try await eventually("the listing") { try await environment.log.topics(withPrefix: prefix) == names }
        },
        Check("a thousand topics are made, written and read in few requests", needs: [.topics]) { environment in
            let wishes = (0..<1000).map {
                TopicSpecification(
                    name: environment.name("many.\($0)"), partitions: 1,
                    cleanup: .delete(afterMilliseconds: 86_400_000),
                    messageBytesMax: 1 << 20)
            }
            let made = try await environment.log.createTopics(wishes)
            #expect(made.count == 1000 && made.values.allSatisfy { $0 == .created })
            let writer = try await environment.log.makeWriter()
            try await writer.append(
                wishes.flatMap { wish in
                    ["a", "b"].map { OutgoingEntry(TopicPartition(wish.name), "\($0) \(wish.name)") }
                })
            let partitions = wishes.map { TopicPartition($0.name) }
            let bounds = try await environment.log.bounds(of: partitions)
            #expect(partitions.allSatisfy { bounds[$0] == OffsetBounds(start: 0, end: 2) })
            let follower = try await environment.log.follow(partitions[777], from: 0)
            let texts = try await follower.entries(2).map(\.text)
            #expect(texts == ["a \(wishes[777].name)", "b \(wishes[777].name)"])
            follower.close()
            _ = try await environment.log.deleteTopics(wishes.map(\.name))
        },
    ]
}
