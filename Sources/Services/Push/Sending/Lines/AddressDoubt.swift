import CloudModel

/// Decides whether refusals mean dead addresses, or a wrong setting that refuses everybody: by the last answers of the
/// last 20 devices of a credential. Pure.
struct AddressDoubt: Sendable {
    /// The devices that are looked at.
    static let devicesMax = 20
    /// Refused devices from which on a credential is stopped: fewer show nothing either way.
    static let stopMin = 3
    /// Refused devices of one user that count: users register addresses that no provider takes, and one must not stop
    /// the others.
    static let userMax = 2
    /// Devices whose refusals in a row are counted; with more of them the counting starts again.
    private static let rowsMax = 1000

    /// Refusals in a row after which a device's address is dead.
    private let rowMin: Int
    private var answers: [(device: DeviceID, user: UserRecordName, isRefused: Bool)] = []
    private var rows: [DeviceID: Int] = [:]
    /// The refusals in a row of the device that was noted last.
    private var row = 0

    /// - Parameter kind: push services of browsers give the answer to a push that they cannot read, too.
    init(_ kind: CourierKind = .apns) { rowMin = kind == .webPush ? 10 : 1 }

    /// Notes the answer for a device.
    mutating func note(_ device: DeviceID, of user: UserRecordName, isRefused: Bool) {
        answers.removeAll { $0.device == device }
        if isRefused {
            let own = answers.indices.filter { answers[$0].isRefused && answers[$0].user == user }
            if own.count >= Self.userMax { answers.remove(at: own[0]) }
        }
        answers.append((device, user, isRefused))
        if answers.count > Self.devicesMax { answers.removeFirst() }
        row = isRefused ? rows[device, default: 0] + 1 : 0
        if rows.count >= Self.rowsMax { rows = [:] }
        rows[device] = isRefused && rowMin > 1 ? row : nil
    }

    /// True while more than half of the devices were refused: then no address is removed.
    var isDoubtful: Bool { refused * 2 > answers.count }

    /// True if the credential looks wrong.
    var stops: Bool { isDoubtful && refused >= Self.stopMin }

    /// True if the address of the device that was noted last is dead.
    var condemns: Bool { !isDoubtful && row >= rowMin }

    private var refused: Int { answers.count { $0.isRefused } }
}
