import CloudModel
import TestSupport

/// Values and records that several suites compare.
enum Fixtures {
    static let alice = UserRecordName.sample("a")
    static let bob = UserRecordName.sample("b")

    static func record(
        _ fields: [String: FieldValue] = [:], name: String = "r", type: String = "Artwork",
        zone: ZoneID = .publicDefault, created: Int64 = 1000, modified: Int64 = 2000
    ) -> Record {
        var all = RecordFields()
        for (name, value) in fields { all[FieldName(trusted: name)] = value }
        return Record(
            type: RecordType(trusted: type), name: RecordName(trusted: name), zone: zone, changeTag: "t",
            created: RecordStamp(timestamp: Timestamp(milliseconds: created), user: alice, device: nil),
            modified: RecordStamp(timestamp: Timestamp(milliseconds: modified), user: bob, device: nil), fields: all)
    }

    static func comparison(_ field: String, _ relation: Predicate.Relation) -> Predicate {
        .comparison(Predicate.Comparison(field: .field(FieldName(trusted: field)), relation: relation))
    }

    static func system(_ field: SystemField, _ relation: Predicate.Relation) -> Predicate {
        .comparison(Predicate.Comparison(field: .system(field), relation: relation))
    }

    static func reference(_ name: String, zone: ZoneID? = nil, action: Reference.Action = .none) -> FieldValue {
        .reference(Reference(recordName: RecordName(trusted: name), zone: zone, action: action))
    }

    static func time(_ milliseconds: Int64) -> FieldValue { .timestamp(Timestamp(milliseconds: milliseconds)) }
}

/// The relations with the options that filters give them.
extension Predicate.Relation {
    static func equals(_ value: FieldValue) -> Self { .equals(value, .caseInsensitive) }
    static func isIn(_ values: [FieldValue]) -> Self { .isIn(values, .caseInsensitive) }
    static func beginsWith(_ prefix: String) -> Self { .beginsWith(prefix, []) }
    static func listContains(_ value: FieldValue) -> Self { .listContains(value, .caseInsensitive) }
}
