import JSON

/// A record in the form of exports: the members of a request that saves it once more. The console's pages have the
/// same form (`core/transfer.js`).
struct ExportedRecord: Sendable {
    /// `recordName`, `recordType`, `fields`, and where it has them `parent` and `zoneID`.
    var members: JSONObject

    /// The types of fields with files.
    private static let fileTypes: Set<String> = ["ASSET", "ASSETID", "ASSET_LIST", "ASSETID_LIST"]

    /// The record of these members.
    init(members: JSONObject) { self.members = members }

    /// The record of a line; nil if the object is no line of an export.
    init?(line: JSONObject) {
        guard line["fields"]?.object != nil else { return nil }
        members = line
    }

    /// A record of an answer.
    /// - Parameter isShared: true to keep the owner of the zone, as the shared database needs it.
    init(answered record: JSONValue, isShared: Bool) {
        members = [:]
        for key in ["recordName", "recordType"] { members[key] = record[key] }
        var fields: JSONObject = [:]
        for (name, field) in record["fields"]?.object ?? [:] { fields[name] = Self.kept(field) }
        members["fields"] = .object(fields)
        if let parent = record["parent"]?["recordName"] { members["parent"] = ["recordName": parent] }
        guard let zone = record["zoneID"], let name = zone["zoneName"], name.string != "_defaultZone" else { return }
        var zoneID: JSONObject = ["zoneName": name]
        if isShared { zoneID["ownerRecordName"] = zone["ownerRecordName"] }
        members["zoneID"] = .object(zoneID)
    }

    /// The record's name; nil if it has none.
    var name: String? { members["recordName"]?.string }

    /// The record's name with its zone, which no other record has.
    var place: String {
        let zone = members["zoneID"]
        return [zone?["ownerRecordName"], zone?["zoneName"], members["recordName"]]
            .map { $0?.string ?? "" }.joined(separator: "\n")
    }

    /// The fields by name.
    var fields: JSONObject { members["fields"]?.object ?? [:] }

    /// Replaces each file of the fields.
    /// - Parameter change: gives the file that takes its place.
    mutating func replaceFiles(_ change: (_ field: String, JSONValue) async throws -> JSONValue) async throws {
        var changed: JSONObject = [:]
        for (name, field) in fields {
            guard Self.fileTypes.contains(field["type"]?.string ?? ""), var members = field.object,
                let value = members["value"], !value.isNull
            else {
                changed[name] = field
                continue
            }
            if let values = value.array {
                var files: [JSONValue] = []
                for value in values { files.append(try await change(name, value)) }
                members["value"] = .array(files)
            } else {
                members["value"] = try await change(name, value)
            }
            changed[name] = .object(members)
        }
        members["fields"] = .object(changed)
    }

    private static func kept(_ field: JSONValue) -> JSONValue {
        var kept: JSONObject = [:]
        for key in ["value", "type", "isEncrypted", "exactSeconds"] { kept[key] = field[key] }
        return .object(kept)
    }
}
