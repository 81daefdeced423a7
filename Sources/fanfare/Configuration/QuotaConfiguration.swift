import CloudModel
import RecordService
import RecordStore

/// The settings of quotas: what one user may have. 0 is no bound.
struct QuotaConfiguration: Sendable {
    var privateRecords = Limits.privateRecordsMax
    var privateMebibytes = Limits.privateBytesMax >> 20
    var publicRecords = Limits.publicRecordsMax
    var publicMebibytes = Limits.publicBytesMax >> 20
    var assetMebibytes = Limits.userAssetBytesMax >> 20
    var uploadMebibytes = Limits.uploadBytesMax >> 20
    var invitedAddresses = Limits.invitedAddressesMax
    var shares = Limits.sharesPerUserMax
    var schemaParts = Limits.schemaPartsMax

    /// The quotas.
    var quotas: UsageQuotas {
        var quotas = UsageQuotas()
        quotas[.privateRecords] = Self.bound(privateRecords)
        quotas[.privateBytes] = Self.bound(privateMebibytes, of: 1 << 20)
        quotas[.publicRecords] = Self.bound(publicRecords)
        quotas[.publicBytes] = Self.bound(publicMebibytes, of: 1 << 20)
        quotas[.assetBytes] = Self.bound(assetMebibytes, of: 1 << 20)
        quotas[.uploadBytes] = Self.bound(uploadMebibytes, of: 1 << 20)
        quotas[.invitedAddresses] = Self.bound(invitedAddresses)
        quotas[.shares] = Self.bound(shares)
        quotas[.schemaParts] = Self.bound(schemaParts)
        return quotas
    }

    private static func bound(_ count: Int, of unit: Int64 = 1) -> Int64 { count == 0 ? .max : Int64(count) * unit }
}
