package import CloudModel

/// The form of a payload that providers send to devices.
///
/// It differs from that of feeds: a push that shows nothing has `content-available: 1`, which is never left out, as
/// nothing else would wake the app; `mutable-content` is only beside an alert, where it has a meaning.
extension PushPayload {
    /// The key of the alert's text where contents are not sent, and the subscription has no key that needs no arguments.
    package static let keyWithoutContents = "FANFARE_NOTIFICATION"

    /// The payload for a provider.
    /// - Parameters:
    ///   - bytesMax: the bytes that the provider takes, as JSON.
    ///   - contents: `none` leaves IDs, and of an alert the key of its text.
    ///   - isVisible: false leaves out the alert, the sound and the badge.
    package func sent(within bytesMax: Int, _ contents: PushContents = .full, isVisible: Bool = true) -> PushPayload {
        var sent = self
        sent.isSent = true
        sent.bytesMax = bytesMax
        if contents == .none { sent.removeContents() }
        if !isVisible { sent.parts.subtract(.visible) }
        sent.prune()
        return sent
    }

    /// Leaves nothing of the record and of the texts. Names of records and zones are IDs. Receivers see that parts are
    /// missing.
    private mutating func removeContents() {
        switch detail {
        case .mark, .omitted: return
        case .query, .zone, .database: break
        }
        var bare = Appearance<String>(
            isContentAvailable: appearance.isContentAvailable, isContentMutable: appearance.isContentMutable)
        if !parts.isDisjoint(with: .alert) {
            let key = appearance.alert.localizationArgs.isEmpty ? appearance.alert.localizationKey : nil
            bare.alert.localizationKey = key ?? Self.keyWithoutContents
        }
        appearance = bare
        parts = Self.parts(of: bare).union([.container, .notificationID, .place, .database])
        fields = RecordFields()
        isPruned = true
    }
}
