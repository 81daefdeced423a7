import CloudMessages
package import CloudModel
import Cryptography
import ProtocolBuffers
import TextForms

/// A field that a file is uploaded for, and the user.
package struct AssetUpload: Hashable, Sendable {
    /// The user who uploads.
    package var user: UserRecordName
    /// The database, as the request names it.
    package var database: DatabaseScope
    /// Nil for any type and field: a file that is referenced again.
    package var field: AssetField?
    /// The identity of the address, which is good once; empty where there is none.
    package var nonce = ""

    package init(user: UserRecordName, database: DatabaseScope, field: AssetField?) {
        self.user = user
        self.database = database
        self.field = field
    }
}

/// A field of a record type.
package struct AssetField: Hashable, Sendable {
    /// The record type.
    package var type: RecordType
    /// The field.
    package var name: FieldName

    package init(type: RecordType, name: FieldName) {
        self.type = type
        self.name = name
    }
}

/// Sealed texts that let clients upload, use and download files, each for a while: nothing has to be stored for them.
package struct AssetTokens: Sendable {
    /// The lifetime of an upload's address (UploadAssets).
    package static let uploadLifetime = Duration.seconds(Int64(Limits.assetUploadSeconds))
    /// The time for which a save takes a receipt.
    package static let receiptLifetime = Duration.seconds(86_400)
    /// The lifetime of a download's address.
    package static let downloadLifetime = Duration.seconds(Int64(Limits.assetDownloadSeconds))

    private enum Purpose: String {
        case upload = "asset-upload/1"
        case receipt = "asset-receipt/1"
        case download = "asset-download/1"

        /// The subject of a refusal.
        var subject: String {
            switch self {
            case .upload: "the address of the upload"
            case .receipt: "the receipt"
            case .download: "the address of the download"
            }
        }

        /// The advice of a refusal.
        var remedy: String {
            switch self {
            case .upload: "ask assets/upload for another"
            case .receipt: "upload the file again"
            case .download: "read the record again for another"
            }
        }
    }

    private let ring: KeyRing

    init(_ ring: KeyRing) { self.ring = ring }

    /// Part of an address that takes an upload.
    package func upload(_ upload: AssetUpload, in scope: ContainerEnvironment, at now: Timestamp) -> String {
        var message = message(upload, nil, scope, now, Self.uploadLifetime)
        message.checksum = Hexadecimal.encode(SecureRandom.bytes(count: 16))
        return seal(message, .upload)
    }

    /// The field and user of an upload URL.
    /// - Throws: `ACCESS_DENIED` for a text that is not sealed for this environment, `BAD_REQUEST` for an expired one.
    package func upload(of text: String, in scope: ContainerEnvironment, at now: Timestamp) throws(CloudError)
        -> AssetUpload
    {
        let message = try open(text, .upload, in: scope, at: now)
        var upload = Self.upload(message)
        upload.nonce = message.checksum
        return upload
    }

    /// The receipt that an upload is answered with.
    func receipt(
        for upload: AssetUpload, of checksum: String, _ size: Int64, in scope: ContainerEnvironment, at now: Timestamp
    ) -> String {
        seal(message(upload, (checksum, size), scope, now, Self.receiptLifetime), .receipt)
    }

    /// The asset and field of a receipt.
    func receipt(_ text: String, in scope: ContainerEnvironment, at now: Timestamp) throws(CloudError) -> (
        upload: AssetUpload, checksum: String, size: Int64
    ) {
        let message = try open(text, .receipt, in: scope, at: now)
        return (Self.upload(message), message.checksum, message.size)
    }

    /// Part of an address that a file is downloaded from.
    package func download(_ asset: Asset, in scope: ContainerEnvironment, at now: Timestamp) -> String {
        let message = AssetTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue,
            expires: Self.end(now, Self.downloadLifetime), checksum: asset.fileChecksum, size: asset.size)
        return seal(message, .download)
    }

    /// The file that an address is of.
    /// - Throws: as `upload(of:in:at:)`.
    package func download(_ text: String, in scope: ContainerEnvironment, at now: Timestamp) throws(CloudError)
        -> Asset
    {
        let message = try open(text, .download, in: scope, at: now)
        return Asset(fileChecksum: message.checksum, size: message.size)
    }

    private func message(
        _ upload: AssetUpload, _ file: (checksum: String, size: Int64)?, _ scope: ContainerEnvironment,
        _ now: Timestamp, _ lifetime: Duration
    ) -> AssetTokenMessage {
        AssetTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue,
            expires: Self.end(now, lifetime), checksum: file?.checksum ?? "", size: file?.size ?? 0,
            user: upload.user.rawValue, database: upload.database.rawValue,
            recordType: upload.field?.type.rawValue ?? "", field: upload.field?.name.rawValue ?? "")
    }

    private static func end(_ now: Timestamp, _ lifetime: Duration) -> Int64 {
        now.milliseconds + lifetime.components.seconds * 1000
    }

    private static func upload(_ message: AssetTokenMessage) -> AssetUpload {
        let field = AssetField(
            type: RecordType(trusted: message.recordType), name: FieldName(trusted: message.field))
        return AssetUpload(
            user: UserRecordName(trusted: message.user), database: DatabaseScope(rawValue: message.database) ?? .public,
            field: message.field.isEmpty ? nil : field)
    }

    private func seal(_ message: AssetTokenMessage, _ purpose: Purpose) -> String {
        ring.seal(message.encoded(), purpose: purpose.rawValue)
    }

    private func open(
        _ text: String, _ purpose: Purpose, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> AssetTokenMessage {
        let message: AssetTokenMessage
        do {
            message = try AssetTokenMessage(decoding: ring.open(text, purpose: purpose.rawValue))
        } catch {
            throw CloudError(.accessDenied, "\(purpose.subject) is not one of ours: \(error); \(purpose.remedy)")
        }
        guard message.container == scope.container.rawValue, message.environment == scope.environment.rawValue else {
            throw CloudError(
                .accessDenied, "\(purpose.subject) is of \(message.container)/\(message.environment); \(purpose.remedy)"
            )
        }
        guard message.expires > now.milliseconds else {
            throw .badRequest("\(purpose.subject) has ended; \(purpose.remedy)")
        }
        return message
    }
}
