import CloudModel
import Foundation

/// CloudKit's limits of one operation on records; a larger one is `limitExceeded`, and to be divided.
enum OperationLimit {
    /// Bytes of the sent values, without those of files.
    static let bytesMax = 2 << 20

    /// Checks the size of an operation. A single record that is too large fails for itself, as dividing does not help.
    static func check(
        _ items: [RecordModification.Item], _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) throws(CKError) {
        guard items.count <= Limits.frameworkOperationsMax else {
            throw CKError(
                .limitExceeded,
                "the operation has \(items.count) items; the maximum in a single request is \(Limits.frameworkOperationsMax)"
            )
        }
        guard items.count > 1 else { return }
        var bytes = 0
        for case .save(let record) in items { bytes += Self.bytes(of: record, policy) }
        guard bytes <= bytesMax else {
            throw CKError(
                .limitExceeded,
                "the records of the operation have \(bytes) bytes; at most \(bytesMax) are sent together")
        }
    }

    /// The bytes that a save sends of a record.
    static func bytes(of record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy) -> Int {
        record.parts(by: policy).fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.bytes ?? 0) }
    }

    /// The error of a request whose operations were too much together; nil if none of the items says so.
    static func error(of items: [RecordItem]) -> CKError? {
        guard items.count > 1 else { return nil }
        for case .failed(_, let error) in items.map(\.result) where error.limit?.isOfWholeRequest == true {
            return CKError(FanfareError(error), ofItem: false)
        }
        return nil
    }

    /// The places of items that were too much together with the others of their request.
    static func leftOut(of items: [RecordItem]) -> [Int] {
        items.indices.filter { place in
            guard case .failed(_, let error) = items[place].result else { return false }
            return error.limit?.isOfWholeRequest == true
        }
    }
}

extension FieldContent {
    /// The bytes of the value, without those of files.
    fileprivate var bytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .int64, .double, .date: 8
        case .bytes(let data): data.count
        case .reference(let reference): reference.recordID.recordName.utf8.count
        case .location: 40
        case .asset, .unknown: 0
        case .list(let elements): elements.reduce(0) { $0 + $1.bytes }
        case .encrypted(let content): content.bytes
        }
    }
}
