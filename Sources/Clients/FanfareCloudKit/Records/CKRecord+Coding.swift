import CloudModel
public import Foundation
import Synchronization

extension CKRecord {
    /// The archived form of a record.
    struct Archive: Codable {
        /// A record ID.
        struct Identifier: Codable {
            var name: String
            var zone: String
            var owner: String

            init(_ id: CKRecord.ID) {
                name = id.recordName
                zone = id.zoneID.zoneName
                owner = id.zoneID.ownerName
            }

            var id: CKRecord.ID {
                CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: zone, ownerName: owner))
            }
        }

        static let key = "FanfareRecord"

        var recordType: String
        var recordID: Identifier
        var system: SystemValues
        var parent: Identifier?
        /// The share that was created locally.
        var newShare: String?
        var fields: [String: Field] = [:]
        var base: [String: Field] = [:]
        /// In an order of their own, so that equal records have equal archives.
        var changed: [String] = []

        init(_ record: CKRecord, includingFields: Bool) {
            let state = record.state.withLock { $0 }
            recordType = record.recordType
            recordID = Identifier(record.recordID)
            system = state.system
            parent = state.parent.map { Identifier($0.recordID) }
            newShare = state.newShare
            guard includingFields else { return }
            fields = state.fields.compactMapValues { Field($0) }
            base = state.base.compactMapValues { Field($0) }
            changed = state.changed.sorted()
        }

        init?(from coder: NSCoder) {
            guard let data = coder.decodeObject(of: NSData.self, forKey: Self.key),
                let archive = try? JSONDecoder().decode(Archive.self, from: Data(referencing: data))
            else { return nil }
            self = archive
        }

        var state: State {
            var state = State()
            state.fields = fields.mapValues(\.content)
            state.base = base.mapValues(\.content)
            state.changed = Set(changed)
            state.system = system
            state.newShare = newShare
            state.parent = parent.map { CKRecord.Reference(recordID: $0.id, action: .none) }
            return state
        }
    }

    func encode(includingFields: Bool, with coder: NSCoder) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(Archive(self, includingFields: includingFields)) else { return }
        coder.encode(data as NSData, forKey: Archive.key)
        encodeOwnProperties(with: coder)
    }

    /// Archives the system fields without the values. `init(coder:)` returns a record that can be saved over the same
    /// version. Equal records have equal archives: on Linux the archiver writes a binary property list in the order of
    /// a dictionary, which differs each time, and an XML one by its keys.
    public func encodeSystemFields(with coder: NSCoder) {
        (coder as? NSKeyedArchiver)?.outputFormat = .xml
        encode(includingFields: false, with: coder)
    }
}

extension CKRecord.Archive {
    /// The archived value of a field.
    indirect enum Field: Codable {
        case string(String)
        case int64(Int64)
        case double(Double)
        case date(Date)
        case bytes(Data)
        case reference(Identifier, deletesSelf: Bool)
        case location(latitude: Double, longitude: Double, altitude: Double, time: Date)
        case asset(path: String?, checksum: String?, size: Int64)
        case list([Field])
        case encrypted(Field)

        init?(_ content: FieldContent) {
            switch content {
            case .string(let text): self = .string(text)
            case .int64(let number): self = .int64(number)
            case .double(let number): self = .double(number)
            case .date(let date): self = .date(date)
            case .bytes(let data): self = .bytes(data)
            case .reference(let reference):
                self = .reference(Identifier(reference.recordID), deletesSelf: reference.action == .deleteSelf)
            case .location(let location):
                self = .location(
                    latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                    altitude: location.altitude, time: location.timestamp)
            case .asset(let asset):
                self = .asset(
                    path: asset.fileURL?.path, checksum: asset.uploaded?.fileChecksum, size: asset.uploaded?.size ?? 0)
            case .list(let elements): self = .list(elements.compactMap { Field($0) })
            case .encrypted(let content):
                guard let field = Field(content) else { return nil }
                self = .encrypted(field)
            case .unknown: return nil
            }
        }

        var content: FieldContent {
            switch self {
            case .string(let text): .string(text)
            case .int64(let number): .int64(number)
            case .double(let number): .double(number)
            case .date(let date): .date(date)
            case .bytes(let data): .bytes(data)
            case .reference(let id, let deletesSelf):
                .reference(CKRecord.Reference(recordID: id.id, action: deletesSelf ? .deleteSelf : .none))
            case .location(let latitude, let longitude, let altitude, let time):
                .location(
                    CLLocation(
                        coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
                        altitude: altitude, horizontalAccuracy: 0, verticalAccuracy: 0, timestamp: time))
            case .asset(let path, let checksum, let size): .asset(Self.asset(path, checksum, size))
            case .list(let elements): .list(elements.map(\.content))
            case .encrypted(let field): .encrypted(field.content)
            }
        }

        private static func asset(_ path: String?, _ checksum: String?, _ size: Int64) -> CKAsset {
            let url = path.map { URL(fileURLWithPath: $0) }
            guard let checksum else { return CKAsset(fileURL: url ?? URL(fileURLWithPath: "/")) }
            return CKAsset(fileURL: url, uploaded: Asset(fileChecksum: checksum, size: size))
        }
    }
}
