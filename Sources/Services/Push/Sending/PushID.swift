package import CloudModel
import Cryptography
package import EventLog

/// The name of a push at its provider: a UUID that follows from the name of its entry and the device.
package struct PushID: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - source: the name of the entry in `pushes`.
    ///   - epoch: the life of the device.
    package init(of source: SourcePosition, to device: DeviceID, _ epoch: DeviceEpoch, kind: CourierKind) {
        let text = "push/\(source)/\(device.rawValue)/\(epoch.rawValue)/\(kind)"
        var bytes = Array(SHA256.hash(Array(text.utf8)).prefix(16))
        if Mistake.pushIDIsRandom.isMade { bytes = SecureRandom.bytes(count: 16) }
        // Version 8 of RFC 9562: made by a rule of the application's.
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        self.bytes = bytes
    }

    /// Lower case, as in `apns-id`.
    package var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return text
    }
}
