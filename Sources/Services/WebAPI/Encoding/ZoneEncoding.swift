import CloudModel
import DeviceClient
import JSON
import RecordService

/// Writes zones as CloudKit's zone dictionaries.
enum ZoneEncoding {
    static func result(_ result: ZoneResult) -> JSONValue {
        switch result {
        case .zone(let zone): self.zone(zone)
        case .failed(let zone, let error): failure(zone, error)
        }
    }

    static func zone(_ zone: Zone) -> JSONValue {
        var json: JSONObject = ["zoneID": FieldJSON.zone(zone.id), "atomic": .bool(zone.isAtomic)]
        if let token = zone.syncToken { json["syncToken"] = .string(token) }
        if zone.isDeleted { json["deleted"] = true }
        return .object(json)
    }

    /// An error of one zone; its ID as the request gave it.
    static func failure(_ zone: GivenZone, _ error: CloudError) -> JSONValue {
        var id: JSONObject = ["zoneName": .string(zone.name.rawValue)]
        if let owner = zone.owner { id["ownerRecordName"] = .string(owner.rawValue) }
        return .object(ErrorEncoding.item(error, into: ["zoneID": .object(id)]))
    }
}
