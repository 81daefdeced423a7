import CloudModel
import Foundation
import Synchronization

extension CKRecord {
    /// The fields that a save sends.
    struct Sent: Sendable {
        var fields: [String: FieldContent?]
        var isParentSent: Bool
    }

    /// Creates a record from the service's answer.
    static func received(_ record: Record, from reader: RecordReader) -> CKRecord {
        let id = CKRecord.ID(record.name, in: reader.zoneID(record.zone))
        let result: CKRecord =
            record.type == .share
            ? CKShare(received: record, recordID: id) : CKRecord(recordType: record.type.rawValue, recordID: id)
        result.adopt(record, from: reader)
        return result
    }

    /// Takes over the service's version. Fields that the app changed after the save was sent stay changed.
    func adopt(_ record: Record, from reader: RecordReader, sent: Sent? = nil) {
        let base = reader.contents(of: record, in: recordID.zoneID)
        state.withLock { state in
            var fields = base
            var changed: Set<String> = []
            if let sent {
                // An uploaded file stays the app's local file and needs no download, and a date the app's, which the
                // service stores to the millisecond.
                for (key, content) in sent.fields {
                    guard let content, let stored = base[key] else { continue }
                    if case .asset(let own) = content, case .asset(let there) = stored, let noun = there.uploaded {
                        fields[key] = .asset(CKAsset(fileURL: own.fileURL, uploaded: noun, source: there.source))
                    }
                    if stored.isDate, content.isSame(as: stored) { fields[key] = content }
                }
                for key in state.changed where !Self.isSame(state.fields[key], sent.fields[key] ?? nil) {
                    fields[key] = state.fields[key]
                    changed.insert(key)
                }
            }
            state.fields = fields
            state.base = base
            state.changed = changed
            state.system = reader.systemValues(of: record)
            if state.system.share != nil { state.newShare = nil }
            state.isParentChanged = false
            state.parent = record.parent.map {
                CKRecord.Reference(recordID: CKRecord.ID($0, in: recordID.zoneID), action: .none)
            }
        }
        didAdopt(record, from: reader)
    }

    private static func isSame(_ left: FieldContent?, _ right: FieldContent?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        default: false
        }
    }

    /// The fields that a save with this policy sends.
    func parts(by policy: CKModifyRecordsOperation.RecordSavePolicy) -> Sent {
        state.withLock { state in
            let keys = policy == .allKeys ? state.changed.union(state.fields.keys) : state.changed
            return Sent(
                fields: Dictionary(uniqueKeysWithValues: keys.map { ($0, state.fields[$0]) }),
                isParentSent: state.isParentChanged || (policy == .allKeys && state.parent != nil))
        }
    }

    /// The operation that saves these fields.
    func operation(
        _ sent: Sent, by policy: CKModifyRecordsOperation.RecordSavePolicy
    ) throws(CKError) -> RecordOperation {
        let (tag, parent) = state.withLock { ($0.system.changeTag, $0.parent) }
        let isChecked = policy == .ifServerRecordUnchanged
        var operation = RecordOperation(
            kind: isChecked ? (tag == nil ? .create : .update) : .forceUpdate,
            recordName: RecordName(trusted: recordID.recordName),
            recordType: CloudModel.RecordType(trusted: recordType),
            changeTag: isChecked ? tag : nil)
        for (key, content) in sent.fields {
            let name = FieldName(trusted: key)
            if let content {
                operation.fields[name] = .some(try content.given(for: key, in: recordID.zoneID))
            } else {
                operation.fields[name] = .some(nil)
            }
        }
        if sent.isParentSent {
            operation.parent = .some(parent.map { RecordName(trusted: $0.recordID.recordName) })
        }
        if let share = self as? CKShare { operation.share = share.given }
        return operation
    }

    /// The record before the app changed it; nil for a record that was never saved.
    var ancestor: CKRecord? {
        let state = state.withLock { $0 }
        guard state.system.changeTag != nil else { return nil }
        var before = state
        before.fields = state.base
        before.changed = []
        return CKRecord(recordType: recordType, recordID: recordID, state: before)
    }
}

extension CKRecord.ID {
    convenience init(_ name: RecordName, in zone: CKRecordZone.ID) {
        self.init(recordName: name.rawValue, zoneID: zone)
    }
}
