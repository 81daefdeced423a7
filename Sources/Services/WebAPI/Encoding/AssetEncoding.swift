import CloudModel
import Cryptography
import JSON

/// Writes assets as clients send them back in a field (spec section 5.11).
enum AssetEncoding {
    /// An uploaded file. Files are kept as they came, so that the two members that belong to CloudKit's encryption say
    /// nothing new; clients copy them.
    static func asset(_ asset: Asset) -> JSONValue {
        let hash = Base64.standard.decode(asset.fileChecksum) ?? []
        return [
            "fileChecksum": .string(asset.fileChecksum), "size": .integer(asset.size),
            "receipt": .string(asset.receipt ?? ""), "referenceChecksum": .string(asset.fileChecksum),
            "wrappingKey": .string(Base64.standard.encode(Array(hash.prefix(16)))),
        ]
    }
}
