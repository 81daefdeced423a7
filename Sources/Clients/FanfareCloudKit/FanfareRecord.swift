import CloudModel
public import Foundation

/// A record, as it was fetched or as it will be saved.
public struct FanfareRecord: Hashable, Sendable {
    /// The record's type.
    public let recordType: String
    /// The record's name, unique in its zone.
    public let recordName: String
    /// The values by the names of their fields. Leaving one out of a record that is saved removes nothing: set `removed`.
    public var fields: [String: FanfareValue]
    /// The names of fields that saving removes.
    public var removed: Set<String> = []
    /// The version that the service has; nil of a record that was not saved yet.
    public let changeTag: String?
    /// The time at which the record was made; nil of one that was not saved yet.
    public let created: Date?
    /// The time of the last change; nil of a record that was not saved yet.
    public let modified: Date?

    /// A new record.
    public init(type: String, name: String = UUID().uuidString, fields: [String: FanfareValue] = [:]) {
        recordType = type
        recordName = name
        self.fields = fields
        changeTag = nil
        created = nil
        modified = nil
    }

    init(_ record: Record) {
        recordType = record.type.rawValue
        recordName = record.name.rawValue
        fields = Dictionary(
            uniqueKeysWithValues: record.fields.entries.map { ($0.name.rawValue, FanfareValue($0.value)) })
        changeTag = record.changeTag
        created = Date(record.created.timestamp)
        modified = Date(record.modified.timestamp)
    }

    /// The operation that saves the record.
    func saving(overwriting: Bool) -> RecordOperation {
        var operation = RecordOperation(
            kind: overwriting ? .forceUpdate : changeTag == nil ? .create : .update,
            recordName: RecordName(trusted: recordName), recordType: RecordType(trusted: recordType),
            changeTag: overwriting ? nil : changeTag)
        for (name, value) in fields { operation.fields[FieldName(trusted: name)] = .some(value.given) }
        for name in removed { operation.fields[FieldName(trusted: name)] = .some(nil) }
        return operation
    }
}
