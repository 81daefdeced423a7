import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let recordChecks: [Check] = [
        Check("records of one name in other databases are others") { environment in
            try await environment.withStore { store in
                let records = [
                    record("a", body: [1]), record("A", body: [2]), record("a", .private, owner: alice, body: [3]),
                    record("a", .private, owner: bob, body: [4]), record("a", .shared, owner: bob, body: []),
                ]
                try await store.write { transaction in
                    try transaction.define(type)
                    for record in records { try transaction.save(record) }
                }
                try await store.read { reader throws in
                    for record in records { #expect(try reader.record(record.id) == record) }
                    #expect(try reader.record(record("b").id) == nil)
                }
                var changed = records[2]
                changed.body = [9, 9]
                changed.sequence = CommitSequence(8)
                try await store.write { [changed] transaction in
                    try transaction.save(changed)
                    for name in [records[0].id, record("never").id] {
                        try transaction.deleteRecord(
                            name, at: CommitSequence(99), Timestamp(milliseconds: 0), roots: [])
                    }
                }
                try await store.read { [changed] reader throws in
                    #expect(try reader.record(records[0].id) == nil)
                    #expect(try reader.record(records[2].id) == changed)
                    #expect(try reader.record(records[3].id) == records[3])
                }
            }
        },
        Check("the schema has the defined types") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    #expect(try transaction.fieldTypes(of: type) == nil)
                    try transaction.define(type)
                    try transaction.define(type)
                    for kind in FieldType.allCases {
                        try transaction.define(FieldName(trusted: "f\(kind.rawValue)"), as: kind, in: type)
                    }
                }
                let types = try await store.read { try $0.fieldTypes(of: type) }
                let expected = FieldType.allCases.map { (FieldName(trusted: "f\($0.rawValue)"), $0) }
                #expect(types == Dictionary(uniqueKeysWithValues: expected))
                #expect(try await store.read { try $0.fieldTypes(of: RecordType(trusted: "t")) } == nil)
                await store.expectRefusal {
                    try $0.save(
                        StoredRecord(
                            id: record("a").id, type: RecordType(trusted: "t"), sequence: CommitSequence(1), body: []))
                }
            }
        },
        Check("types that no record has are removed with all that is theirs, and can be defined again") { environment in
            try await environment.withStore { store in
                let (other, field) = (RecordType(trusted: "Other"), FieldName(trusted: "f"))
                let shape = ConditionShape(recordType: other, text: "f = ?")
                try await store.write { transaction in
                    try transaction.define(type)
                    try transaction.save(record("a"))
                    try transaction.define(other)
                    try transaction.define(field, as: .int64, in: other)
                    try transaction.addCondition(shape)
                    var permissions = TypePermissions.standard
                    permissions[.world, .write] = true
                    try transaction.setPermissions(permissions, of: other)
                }
                let first = try await store.write { try $0.removeUnusedTypes() }
                #expect(first.removed == [other] && first.kept == [type] && first.emptied.isEmpty)
                try await store.read { reader throws in
                    #expect(try Set(reader.schema().types.keys) == [type])
                    #expect(try !reader.hasCondition(shape) && reader.permissions(of: other) == .standard)
                    #expect(try reader.record(record("a").id) != nil)
                }
                var own = record("b")
                own.type = other
                try await store.write { [own] transaction in
                    try transaction.define(other)
                    try transaction.define(field, as: .string, in: other)
                    try transaction.save(own)
                }
                #expect(try await store.read { try $0.fieldTypes(of: other) } == [field: .string])
                let second = try await store.write { try $0.removeUnusedTypes() }
                #expect(second.removed.isEmpty && Set(second.kept) == [type, other])
            }
        },
    ]
}
