import CloudJSON
import CloudModel
import JSON

/// Writes the results of operations on zones.
enum ZoneEncoding {
    static func result(_ result: ZoneResult) -> JSONValue {
        switch result {
        case .zone(let zone): self.zone(zone)
        case .failed(let zone, let error): failure(zone, error)
        }
    }

    static func zone(_ zone: Zone) -> JSONValue { ZoneJSON.zone(zone) }

    /// An error of one zone; its ID as the request gave it.
    static func failure(_ zone: GivenZone, _ error: CloudError) -> JSONValue {
        .object(ErrorEncoding.item(error, into: ["zoneID": ZoneJSON.given(zone)]))
    }
}
