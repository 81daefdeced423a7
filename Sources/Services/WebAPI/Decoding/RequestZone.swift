import CloudJSON
import CloudModel

/// The zone of a request, which all of its records are in.
struct RequestZone {
    let zone: GivenZone
    /// The owner of a zone that names none; nil where that is no user.
    let owner: UserRecordName?

    /// Checks that a record names no other zone: CloudKit's requests have one for all, and a record that names another
    /// would land where its client does not look for it.
    /// - Throws: `BAD_REQUEST`.
    func checkHolds(_ record: JSONPath) throws(CloudError) {
        guard let json = record["zoneID"] else { return }
        let named = try ZoneJSON.readGiven(json)
        let isSameOwner = named.owner == nil || named.owner == zone.owner ?? owner
        guard named.name == zone.name, isSameOwner else {
            throw .badRequest(
                "\(json.path) is \(named), but the request is for the zone \(zone): give zoneID beside the records; one request is for one zone"
            )
        }
    }
}
