import CloudModel
import Foundation

extension FieldContent {
    /// Converts a value from the service. References without a zone are in `zone`.
    init(_ value: FieldValue, in zone: CKRecordZone.ID, asset: (Asset) -> CKAsset) {
        switch value {
        case .string(let text): self = .string(text)
        case .int64(let number): self = .int64(number)
        case .double(let number): self = .double(number)
        case .timestamp(let time): self = .date(Date(time))
        case .bytes(let bytes): self = .bytes(Data(bytes))
        case .reference(let reference): self = .reference(CKRecord.Reference(reference, in: zone))
        case .location(let location): self = .location(CLLocation(location))
        case .asset(let noun): self = .asset(asset(noun))
        case .list(let elements, _): self = .list(elements.map { FieldContent($0, in: zone, asset: asset) })
        case .encrypted(.open(let value)): self = .encrypted(FieldContent(value, in: zone, asset: asset))
        case .encrypted(.exact(let value, let seconds)):
            let dates = seconds.map { FieldContent.date(Date(timeIntervalSinceReferenceDate: $0)) }
            self = .encrypted(value.type.elementType == nil ? dates.first ?? .list([]) : .list(dates))
        case .encrypted(.sealed(_, as: let type)): self = .unknown("\(type)")
        }
    }

    /// The value for a request. It names its type, except for an empty list, which has the type of the field.
    /// - Throws: `CKError` with `invalidArguments` for a value that no field can store.
    func given(for key: String, in zone: CKRecordZone.ID?) throws(CKError) -> GivenValue {
        switch self {
        case .list([]): return GivenValue(.list([], of: .string), isTypeExplicit: false)
        case .encrypted(.list([])):
            return GivenValue(.encrypted(.open(.list([], of: .string))), isTypeExplicit: false)
        default: return GivenValue(try noun(for: key, in: zone), isTypeExplicit: true)
        }
    }

    private func noun(for key: String, in zone: CKRecordZone.ID?) throws(CKError) -> FieldValue {
        switch self {
        case .string(let text): return .string(text)
        case .int64(let number): return .int64(number)
        case .double(let number):
            guard number.isFinite else {
                throw CKError(.invalidArguments, "'\(key)' is \(number), which no field can store")
            }
            return .double(number)
        case .date(let date): return .timestamp(Timestamp(date))
        case .bytes(let data): return .bytes(Array(data))
        case .reference(let reference): return .reference(reference.noun(in: zone))
        case .location(let location): return .location(location.noun)
        case .asset(let asset):
            guard let noun = asset.uploaded else {
                throw CKError(.assetFileNotFound, "'\(key)' is a file that was not uploaded: \(asset)")
            }
            return .asset(noun)
        case .list(let elements):
            var values: [FieldValue] = []
            for element in elements {
                let value = try element.noun(for: key, in: zone)
                guard values.first.map({ $0.type == value.type }) ?? true, value.type.elementType == nil else {
                    throw CKError(.invalidArguments, "'\(key)' is a list of mixed types")
                }
                values.append(value)
            }
            return .list(values, of: values.first?.type ?? .string)
        case .encrypted(let content):
            let value = try content.noun(for: key, in: zone)
            guard value.type.encryptedType != nil else {
                throw CKError(.invalidArguments, "'\(key)' is \(value.type), which no encrypted field can store")
            }
            return .encrypted(EncryptedValue(value, seconds: content.seconds) ?? .open(value))
        case .unknown(let type):
            throw CKError(.invalidArguments, "'\(key)' has a value of the type \(type), which no field can store")
        }
    }

    /// The times in seconds since 2001, which an encrypted field keeps as they are.
    private var seconds: [Double] {
        switch self {
        case .date(let date): [date.timeIntervalSinceReferenceDate]
        case .list(let elements): elements.flatMap(\.seconds)
        default: []
        }
    }

    /// True if the service's value equals the sent one. The service stores times to the millisecond.
    func isSame(as other: FieldContent) -> Bool {
        switch (self, other) {
        case (.date(let left), .date(let right)): Timestamp(left) == Timestamp(right)
        case (.asset(let left), .asset(let right)):
            left.uploaded != nil && left.uploaded?.fileChecksum == right.uploaded?.fileChecksum
        case (.location(let left), .location(let right)): left.noun == right.noun
        case (.reference(let left), .reference(let right)): left.recordID.recordName == right.recordID.recordName
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.encrypted(let left), .encrypted(let right)): left.isSame(as: right)
        // The service encrypts every value of a field that its schema declares as encrypted.
        case (.encrypted(let left), _): left.isSame(as: other)
        default: self == other
        }
    }
}

extension CKRecord.Reference {
    /// Converts a reference from the service, in a record of `zone`.
    convenience init(_ noun: Reference, in zone: CKRecordZone.ID) {
        let isUser = noun.recordName.user != nil
        self.init(
            recordID: CKRecord.ID(recordName: noun.recordName.rawValue, zoneID: isUser ? .default : zone),
            action: noun.action == .deleteSelf ? .deleteSelf : .none)
    }

    /// The reference for a request. It names its zone only if that differs from the record's zone.
    func noun(in zone: CKRecordZone.ID?) -> Reference {
        let name = RecordName(trusted: recordID.recordName)
        let isElsewhere = zone.map { !$0.isEqual(recordID.zoneID) && name.user == nil } ?? false
        let owner = recordID.zoneID.givenOwner ?? .defaultOwner
        return Reference(
            recordName: name,
            zone: isElsewhere ? ZoneID(name: ZoneName(trusted: recordID.zoneID.zoneName), owner: owner) : nil,
            action: action == .deleteSelf ? .deleteSelf : .none)
    }
}
