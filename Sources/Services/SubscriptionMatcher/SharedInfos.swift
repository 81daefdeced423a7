import CloudMessages
import CloudModel
import ProtocolBuffers

/// The contents of notifications that versions ask for, by number: as encoded bytes, and decoded where more than one
/// version has the same, as those of an app mostly do.
struct SharedInfos {
    private final class Decoded: Sendable {
        let info: NotificationInfo
        init(_ info: NotificationInfo) { self.info = info }
    }

    /// Compared by bytes: Swift takes composed and decomposed letters for the same.
    private var encoded = SharedValues<[UInt8]>()
    private var decoded: [Decoded?] = []

    /// The number of an encoded info, used once more.
    mutating func take(_ info: [UInt8]) -> UInt32 {
        let number = encoded.take(info)
        while decoded.count <= number { decoded.append(nil) }
        if encoded.uses(of: number) == 2 { decoded[Int(number)] = Decoded(decode(number)) }
        return number
    }

    mutating func release(_ number: UInt32) {
        if encoded.release(number) { decoded[Int(number)] = nil }
    }

    subscript(number: UInt32) -> NotificationInfo {
        decoded[Int(number)]?.info ?? decode(number)
    }

    /// The encoded info, for the file of a snapshot.
    func bytes(_ number: UInt32) -> [UInt8] { encoded[number] }

    private func decode(_ number: UInt32) -> NotificationInfo {
        guard let message = try? NotificationInfoMessage(decoding: encoded[number]) else {
            preconditionFailure("bytes that were encoded here cannot be read")
        }
        return message.notificationInfo
    }
}
