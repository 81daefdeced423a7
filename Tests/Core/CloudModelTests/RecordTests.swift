import CloudModel
import TestSupport
import Testing

@Suite struct RecordTests {
    @Test("lists and encrypted fields lead to the type of their values, and back", arguments: FieldType.allCases)
    func typesOfTypes(type: FieldType) {
        if let element = type.elementType { #expect(element.listType == type) }
        if let list = type.listType { #expect(list.elementType == type) }
        if let plain = type.plainType { #expect(plain.encryptedType == type) }
        if let encrypted = type.encryptedType { #expect(encrypted.plainType == type) }
        #expect(!type.traits.isOrdered || type.traits.isSortable && type.traits.isComparable)
    }

    /// Held against a dictionary: the same fields, in byte order, each once.
    @Test(arguments: 1...40)
    func fieldsBehaveLikeASortedDictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var fields = RecordFields()
        var model: [String: FieldValue] = [:]
        let names = ["a", "B", "ab", "a1", "Z", "z", "aB", "b", "A"]
        for step in 0..<60 {
            let name = names.randomElement(using: &random)!
            let value: FieldValue? = Bool.random(using: &random) ? .int64(Int64(step)) : nil
            fields[FieldName(trusted: name)] = value
            model[name] = value
            for name in names { #expect(fields[FieldName(trusted: name)] == model[name], "seed \(seed)") }
            let expected = model.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            #expect(fields.entries.map(\.name.rawValue) == expected, "seed \(seed)")
        }
    }

    private static let moment = FieldValue.timestamp(Timestamp(milliseconds: 5))
    private static let reference = FieldValue.reference(Reference(recordName: RecordName(trusted: "r"), action: .none))

    @Test(arguments: [
        (FieldValue.int64(5), FieldType.double, FieldValue.double(5)), (.int64(5), .timestamp, moment),
        (.int64(5), .int64, .int64(5)), (.string("x"), .string, .string("x")), (.double(1.5), .double, .double(1.5)),
        (.stringList([]), .stringList, .stringList([])), (.double(5), .int64, .int64(5)),
        (.double(5.9), .timestamp, moment),
        (.list([.double(5), .double(6)], of: .double), .int64List, .list([.int64(5), .int64(6)], of: .int64)),
    ])
    func aNumberStandsForOneOfAnotherType(given: FieldValue, type: FieldType, value: FieldValue) {
        #expect(GivenValue(given, isTypeExplicit: false).converted(to: type) == value)
    }

    @Test(arguments: [
        (FieldValue.int64(5), FieldType.string), (.double(5.5), .int64), (.double(1e300), .timestamp),
        (.string("5"), .int64),
        (.string("r"), .reference), (reference, .string), (.stringList(["x"]), .string), (.string("x"), .stringList),
    ])
    func nothingElseIsConverted(given: FieldValue, type: FieldType) {
        #expect(GivenValue(given, isTypeExplicit: false).converted(to: type) == nil)
    }

    @Test(arguments: [FieldType.double, .timestamp, .string])
    func anExplicitTypeIsNeverConverted(type: FieldType) {
        #expect(GivenValue(.int64(5), isTypeExplicit: true).converted(to: type) == nil)
        #expect(GivenValue(.int64(5), isTypeExplicit: true).converted(to: .int64) == .int64(5))
    }

    @Test(arguments: FieldType.allCases)
    func typesAreReadByTheNameTheyAreWrittenWith(type: FieldType) {
        #expect(FieldType(name: type.description) == type)
        #expect(FieldType(name: type.description.lowercased()) == nil)
    }

    @Test(arguments: ["BOOLEAN", "STRING_LIST_LIST", "_LIST", "LIST", ""])
    func otherTypesAreNotKnown(name: String) { #expect(FieldType(name: name) == nil) }

    private func record(_ name: String) -> Record {
        let stamp = RecordStamp(
            timestamp: Timestamp(milliseconds: 1), user: UserRecordName(trusted: "_u"), device: nil)
        return Record(
            type: RecordType(trusted: "T"), name: RecordName(trusted: name), zone: .publicDefault, changeTag: "1",
            created: stamp, modified: stamp, fields: RecordFields())
    }

    /// docs/choices.md, 2.
    @Test func deletionsMatchTheOldAndUpdatesTheNewRecord() {
        func change(_ kind: Change.Kind, _ before: Record?, _ after: Record?) -> Change {
            Change(
                sequence: CommitSequence(1), lastSubscription: .zero, database: .public, kind: kind, before: before,
                after: after, committed: Timestamp(milliseconds: 1),
                origin: Origin(user: UserRecordName(trusted: "_u"), device: nil, epoch: nil))
        }
        #expect(change(.deleted, record("old"), nil).matched?.name.rawValue == "old")
        #expect(change(.updated, record("old"), record("new")).matched?.name.rawValue == "new")
        #expect(change(.created, nil, record("new")).matched?.name.rawValue == "new")
    }

    @Test(arguments: [(Change.Kind.created, FiringEvents.create), (.updated, .update), (.deleted, .delete)])
    func kindsOfChangeFireTheirEvents(kind: Change.Kind, event: FiringEvents) {
        #expect(kind.firingEvent == event)
    }

    /// docs/cloudkit.md#subscription-options: the bits of the native options.
    @Test func firingEventsHaveTheirNativeBits() {
        #expect(FiringEvents.create.rawValue == 1)
        #expect(FiringEvents.update.rawValue == 2)
        #expect(FiringEvents.delete.rawValue == 4)
        #expect(FiringEvents.names.map(\.name) == ["create", "update", "delete", "enter", "leave"])
    }
}
