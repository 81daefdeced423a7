import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let ownershipChecks: [Check] = [
        Check("a store has one owner, and visitors beside it", needs: [.visitors]) { environment in
            let owner = try environment.open()
            do {
                _ = try environment.open()
                Issue.record("there are two owners")
            } catch StoreError.owned(let reason) {
                #expect(!reason.isEmpty)
            }
            let visitor = try environment.open(.visitor)
            #expect(visitor.incarnation == owner.incarnation)
            try await visitor.write { try $0.define(type) }
            #expect(try await owner.read { try $0.fieldTypes(of: type) } == [:])
            await visitor.close()
            #expect(throws: StoreError.self, "a visitor's end is not the owner's") { try environment.open() }
            await owner.close()
        },
        Check("everything is there when the store is opened again", needs: [.reopening]) { environment in
            let first = try environment.open()
            let added = try await first.write { transaction in
                try transaction.define(type)
                try transaction.save(record("a"))
                try transaction.setPosition([9], of: "commands/0")
                return try transaction.appendNext()
            }
            await first.close()
            let second = try environment.open()
            #expect(second.incarnation == first.incarnation)
            try await second.read { reader throws in
                #expect(try reader.record(record("a").id) == record("a"))
                #expect(try reader.outbox(after: .zero, limit: 1, bytesMax: .max) == [added])
                #expect(try reader.position("commands/0") == [9])
                #expect(try reader.position("commands/1") == nil)
            }
            #expect(try await second.write { try $0.nextSequence() } > added.sequence)
            await second.close()
        },
        Check("a closed store is unavailable") { environment in
            let store = try environment.open()
            await store.close()
            for call in 0..<3 {
                do {
                    switch call {
                    case 0: _ = try await store.write { try $0.nextSequence() }
                    case 1: _ = try await store.read { try $0.settledSequence() }
                    default: _ = try await store.readAtLength(for: "a") { reader, _ in try reader.settledSequence() }
                    }
                    Issue.record("call \(call) was answered")
                } catch StoreError.unavailable {}
            }
        },
    ]
}
