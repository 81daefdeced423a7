import CloudModel

/// Decides whether refusals mean dead addresses, or a wrong setting that refuses everybody: by the last answers of the
/// last 20 devices of a credential. Pure.
struct AddressDoubt: Sendable {
    /// The devices that are looked at.
    static let devicesMax = 20
    /// Refused devices from which on a credential is stopped: fewer show nothing either way.
    static let stopMin = 3

    private var answers: [(device: DeviceID, isRefused: Bool)] = []

    /// Notes the answer for a device.
    mutating func note(_ device: DeviceID, isRefused: Bool) {
        answers.removeAll { $0.device == device }
        answers.append((device, isRefused))
        if answers.count > Self.devicesMax { answers.removeFirst() }
    }

    /// True while more than half of the devices were refused: then no address is removed.
    var isDoubtful: Bool { refused * 2 > answers.count }

    /// True if the credential looks wrong.
    var stops: Bool { isDoubtful && refused >= Self.stopMin }

    private var refused: Int { answers.count { $0.isRefused } }
}
