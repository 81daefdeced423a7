package import CloudModel
package import JSON

/// Operations on zones as JSON (docs/cloudkit.md#zones).
package enum ZoneOperationJSON {
    /// Writes an operation.
    package static func operation(_ operation: ZoneOperation) -> JSONValue {
        [
            "operationType": .string(operation.kind.rawValue), "zone": ["zoneID": ZoneJSON.given(operation.zone)],
        ]
    }

    /// Reads an operation.
    package static func read(_ json: JSONPath) throws(CloudError) -> ZoneOperation {
        let type = try json.object().required("operationType")
        guard let kind = ZoneOperation.Kind(rawValue: try type.string()) else {
            throw .badRequest("\(type.path) is '\(try type.string())'; known operations are create and delete")
        }
        let zone = try json.required("zone").object().required("zoneID")
        return ZoneOperation(kind: kind, zone: try ZoneJSON.readGiven(zone))
    }
}
