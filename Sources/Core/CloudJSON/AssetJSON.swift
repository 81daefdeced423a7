package import CloudModel
package import JSON
import TextForms

/// Uploaded files as JSON (docs/cloudkit.md#assets).
package enum AssetJSON {
    /// Writes an uploaded file as clients send it back in a field. Files are kept as they came, so that the two members
    /// that belong to CloudKit's encryption say nothing new; clients copy them.
    package static func uploaded(_ asset: Asset) -> JSONValue {
        let hash = Base64.standard.decode(asset.fileChecksum) ?? []
        return [
            "fileChecksum": .string(asset.fileChecksum), "size": .integer(asset.size),
            "receipt": .string(asset.receipt ?? ""), "referenceChecksum": .string(asset.fileChecksum),
            "wrappingKey": .string(Base64.standard.encode(Array(hash.prefix(16)))),
        ]
    }
}
