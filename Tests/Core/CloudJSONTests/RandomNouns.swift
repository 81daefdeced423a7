import CloudJSON
import CloudModel
import TestSupport

/// Random nouns of CloudModel, as far as their JSON has them.
struct RandomNouns {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    // MARK: Simple values

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func flag() -> Bool { Bool.random(using: &random) }

    mutating func maybe<Value>(_ make: (inout RandomNouns) -> Value) -> Value? { flag() ? make(&self) : nil }

    mutating func list<Value>(_ countMax: Int, _ make: (inout RandomNouns) -> Value) -> [Value] {
        (0..<below(countMax + 1)).map { _ in make(&self) }
    }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "\\", "\n", "\u{0}", "é", "\u{301}", "😀", "\u{2028}",
        ]
        return list(8) { $0.pick(scalars) }.reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    mutating func word() -> String { pick(["a", "b", "Title", "x_1", "count"]) + "\(below(50))" }

    mutating func integer() -> Int64 { pick([0, 1, -1, .max, .min, Int64.random(in: -1000...1000, using: &random)]) }

    mutating func double() -> Double {
        pick([0, 1, -2.5, 1e300, .leastNonzeroMagnitude, Double.random(in: -1e6...1e6, using: &random)])
    }

    mutating func time() -> Timestamp { Timestamp(milliseconds: integer()) }

    mutating func recordName() -> RecordName { RecordName(trusted: "r-" + word()) }

    mutating func recordType() -> RecordType { RecordType(trusted: word()) }

    mutating func fieldName() -> FieldName { FieldName(trusted: word()) }

    mutating func user() -> UserRecordName {
        UserRecordName(trusted: "_" + String(repeating: pick(["0", "7", "a", "f"]), count: 32))
    }

    mutating func zoneID() -> ZoneID {
        pick([ZoneID(name: ZoneName(trusted: word()), owner: user()), .publicDefault])
    }

    // MARK: Records

    mutating func location() -> Location {
        Location(
            latitude: Double.random(in: -90...90, using: &random), longitude: pick([-180, 0, 180, 12.5]),
            horizontalAccuracy: maybe { $0.double() }, verticalAccuracy: maybe { $0.double() },
            altitude: maybe { $0.double() }, speed: maybe { $0.double() }, course: maybe { $0.double() },
            timestamp: maybe { $0.time() })
    }

    mutating func reference() -> Reference {
        Reference(recordName: recordName(), zone: maybe { $0.zoneID() }, action: pick([.none, .deleteSelf, .validate]))
    }

    mutating func value(_ type: FieldType, withReceipts: Bool = false) -> FieldValue {
        switch type {
        case .string: return .string(text())
        case .int64: return .int64(integer())
        case .double: return .double(double())
        case .timestamp: return .timestamp(time())
        case .reference: return .reference(reference())
        case .bytes: return .bytes(list(9) { UInt8($0.below(256)) })
        case .location: return .location(location())
        case .asset:
            return .asset(
                Asset(fileChecksum: text(), size: integer(), receipt: withReceipts ? maybe { $0.text() } : nil))
        default:
            if let plain = type.plainType { return .encrypted(.open(value(plain))) }
            let element = type.elementType ?? .string
            return .list(list(4) { $0.value(element, withReceipts: withReceipts) }, of: element)
        }
    }

    mutating func value() -> FieldValue { value(pick(FieldType.allCases)) }

    mutating func fields() -> RecordFields {
        var fields = RecordFields()
        for _ in 0..<below(6) { fields[fieldName()] = value() }
        return fields
    }

    mutating func stamp() -> RecordStamp {
        RecordStamp(timestamp: time(), user: user(), device: maybe { DeviceID(trusted: "phone-" + $0.word()) })
    }

    mutating func record() -> Record {
        var record = Record(
            type: recordType(), name: recordName(), zone: zoneID(), changeTag: text(), created: stamp(),
            modified: stamp(), fields: fields(), parent: maybe { $0.recordName() }, share: maybe { $0.recordName() })
        for entry in record.fields.entries {
            record.cuts[entry.name] = maybe { ValueCut(bytes: $0.below(1000), elements: $0.maybe { $0.below(9) }) }
        }
        return record
    }

    /// The time of an acceptance is not in JSON: it is zero.
    mutating func share() -> Share {
        Share(
            root: maybe { $0.recordName() }, publicPermission: pick(Share.Permission.allCases),
            participants: list(3) { nouns in
                var participant = Share.Participant(
                    user: nouns.user(), permission: nouns.pick(Share.Permission.allCases),
                    role: nouns.pick(Share.Participant.Role.allCases), accepted: nouns.flag() ? .zero : nil)
                participant.emailAddress = nouns.maybe { $0.word() + "@example.com" }
                return participant
            }, shortGUID: text())
    }

    mutating func operation() -> RecordOperation {
        var operation = RecordOperation(
            kind: pick(RecordOperation.Kind.allCases), recordName: maybe { $0.recordName() },
            recordType: maybe { $0.recordType() }, changeTag: maybe { $0.text() })
        for _ in 0..<below(5) {
            operation.fields[fieldName()] = .some(
                maybe { nouns in
                    let type = nouns.pick(FieldType.allCases)
                    return GivenValue(nouns.value(type, withReceipts: true), isTypeExplicit: true)
                })
        }
        operation.parent = pick([nil, .some(nil), .some(recordName())])
        operation.shareName = maybe { $0.recordName() }
        if flag() {
            operation.recordType = .share
            operation.share = givenShare()
        }
        return operation
    }

    private mutating func givenShare() -> GivenShare {
        let root = maybe { $0.recordName() }
        return GivenShare(
            root: root, rootChangeTag: root.flatMap { _ in maybe { $0.text() } },
            publicPermission: maybe { $0.pick(Share.Permission.allCases) },
            participants: maybe { nouns in
                nouns.list(3) { nouns in
                    var participant = GivenShare.Participant(
                        person: nouns.flag() ? .user(nouns.user()) : .emailAddress(nouns.word() + "@example.com"),
                        permission: nouns.maybe { $0.pick(Share.Permission.allCases) },
                        role: nouns.maybe { $0.pick(Share.Participant.Role.allCases) })
                    participant.isRemoved = nouns.flag()
                    return participant
                }
            })
    }

    // MARK: Zones, users, devices, errors

    mutating func givenZone() -> GivenZone {
        GivenZone(name: pick([.defaultZone, ZoneName(trusted: word())]), owner: maybe { $0.user() })
    }

    mutating func zone() -> Zone {
        Zone(id: zoneID(), syncToken: maybe { $0.text() }, isAtomic: flag(), isDeleted: flag())
    }

    mutating func profile() -> UserProfile {
        UserProfile(name: user(), givenName: maybe { $0.text() }, familyName: maybe { $0.text() })
    }

    mutating func device() -> Device {
        Device(
            id: DeviceID(trusted: word()), user: user(), epoch: DeviceEpoch(integer()), name: text(), platform: text(),
            registered: time())
    }

    mutating func error() -> CloudError {
        CloudError(pick(CloudErrorCode.allCases), text(), retryAfterSeconds: maybe { $0.below(100) })
    }
}
