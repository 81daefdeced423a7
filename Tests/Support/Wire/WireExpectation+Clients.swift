import Foundation
import JSON

extension WireExpectation {
    /// Those that were read out of the clients' own decoders.
    static let all: [WireExpectation] = [stamps, tokens, fields, assets, zones, records, times, references]

    private static let stamps = WireExpectation(
        client: "edorphy/CloudKitWebServices", consequence: "decodes no record (OpenCloudKit: loses creator and dates)"
    ) { object in
        guard isRecord(object) else { return [] }
        return ["created", "modified"].flatMap { name -> [String] in
            let stamp = object[name]
            let isWhole =
                stamp?["timestamp"]?.integer != nil && stamp?["userRecordName"]?.string?.isEmpty == false
                && stamp?["deviceID"]?.string?.isEmpty == false
            return isWhole ? [] : ["\(name) lacks timestamp, userRecordName or deviceID"]
        }
    }

    private static let tokens = WireExpectation(
        client: "levinli303/OpenCloudKit", consequence: "traps, or sends back another text than it was given"
    ) { object in
        ["syncToken", "metaSyncToken", "serverChangeToken", "continuationMarker"].compactMap { name in
            guard let text = object[name]?.string else { return nil }
            // Foundation's own reader: what it writes has to be what it read.
            let isCanonical = Data(base64Encoded: text)?.base64EncodedString() == text && !text.isEmpty
            return isCanonical ? nil : "\(name) is no base64 with its padding: \(text.prefix(40))"
        }
    }

    /// The names of types that have been seen on the wire; pages of Apple's document have `ASSET`, which never was.
    private static let typeNames: Set<String> = {
        let elements = ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE", "BYTES", "LOCATION", "ASSETID"]
        return Set(elements + elements.map { "\($0)_LIST" } + ["ENCRYPTED_BYTES"])
    }()

    private static let fields = WireExpectation(
        client: "levinli303/OpenCloudKit", consequence: "ends with 'Type not supported' (MistKit: decodes no record)"
    ) { object in
        guard isRecord(object), let fields = object["fields"]?.object else { return [] }
        return fields.compactMap { name, field in
            guard let type = field["type"]?.string, typeNames.contains(type) else {
                return "the field \(name) has the type \(field["type"] ?? .null)"
            }
            guard let value = field["value"] else { return "the field \(name) has no value" }
            let isList = type.hasSuffix("_LIST")
            guard isList == (value.array != nil) else { return "the field \(name) is \(type), and \(value.kind)" }
            return nil
        }
    }

    /// What CloudKit answers of a file has no receipt, and an address.
    private static let assets = WireExpectation(
        client: "timlaing/pyicloud", consequence: "finds nothing to download"
    ) { object in
        guard let type = object["type"]?.string, type == "ASSETID", let value = object["value"]?.object else {
            return []
        }
        let isWhole =
            value["fileChecksum"]?.string?.isEmpty == false && value["size"]?.integer != nil
            && value["downloadURL"]?.string?.hasPrefix("http") == true
        return isWhole && value["receipt"] == nil
            ? [] : ["an asset lacks fileChecksum, size or downloadURL, or has more"]
    }

    private static let zones = WireExpectation(
        client: "a derivative of pyicloud", consequence: "refuses the zone"
    ) { object in
        guard object["zoneID"]?["zoneName"] != nil, object["atomic"] != nil else { return [] }
        return ["isEligibleForZoneShare", "isEligibleForHierarchicalShare"].compactMap {
            object[$0]?.bool == nil ? "a zone lacks \($0)" : nil
        }
    }

    /// Members that its models have; with `extra="forbid"` it takes no other.
    private static let recordMembers: Set<String> = [
        "recordName", "recordType", "recordChangeTag", "fields", "pluginFields", "zoneID", "created", "modified",
        "deleted", "parent", "share", "shortGUID", "publicPermission", "forRecord", "owner", "participants",
        "currentUserParticipant",
    ]

    private static let records = WireExpectation(
        client: "timlaing/pyicloud", consequence: "refuses the record, where it forbids members that it does not know"
    ) { object in
        guard isRecord(object) else { return [] }
        var found = object.filter { !recordMembers.contains($0.key) }.map { "a record has \($0.key)" }
        if object["pluginFields"]?.object == nil { found.append("a record lacks pluginFields") }
        if object["recordChangeTag"]?.string?.isEmpty != false { found.append("a record lacks recordChangeTag") }
        if object["deleted"]?.bool == nil { found.append("a record lacks deleted") }
        return found
    }

    /// In Go a time is an `int64`: a double, even a whole one, fails the whole answer.
    private static let times = WireExpectation(client: "lukasmalkmus/icloud-go", consequence: "decodes nothing") {
        object in
        guard let timestamp = object["timestamp"], !timestamp.isNull else { return [] }
        return timestamp.integer == nil ? ["timestamp is \(timestamp), no integer"] : []
    }

    private static let references = WireExpectation(
        client: "meszmate/apple-go", consequence: "loses the reference"
    ) { object in
        guard object["type"]?.string == "REFERENCE", let value = object["value"] else { return [] }
        return value["recordName"]?.string != nil && value["action"]?.string != nil
            ? [] : ["a reference lacks recordName or action"]
    }

    /// Returns true for an existing record: a deleted one, and a failed one, have neither type nor fields.
    private static func isRecord(_ object: JSONObject) -> Bool {
        object["recordName"] != nil && object["recordType"] != nil && object["fields"] != nil
            && object["zoneID"] != nil
    }
}
