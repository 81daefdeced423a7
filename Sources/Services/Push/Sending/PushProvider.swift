package import CloudModel

/// The port of a service that takes pushes for devices: APNs, the push services of browsers, servers with webhooks.
package protocol PushProvider: Sendable {
    /// The kind of the addresses that it takes.
    var kind: CourierKind { get }

    /// The name of the line in which pushes to an address wait: the provider's host. Failures of one line do not
    /// concern the others.
    func line(of address: PushAddress) -> String

    /// The name of the credential that the provider is shown, for pushes to an address: refusals of one credential do
    /// not concern the others. The name is shown nowhere.
    func credential(of address: PushAddress) -> String

    /// The connections that were opened to a line within the last minute; 0 where they are not counted.
    func connectionsLately(of line: String) -> Int

    /// Sends a push once, and waits for the answer. A failure is an outcome.
    func send(_ push: OutgoingPush) async -> PushOutcome
}

extension PushProvider {
    /// One credential for all addresses.
    package func credential(of address: PushAddress) -> String { "" }

    /// Not counted.
    package func connectionsLately(of line: String) -> Int { 0 }
}

/// A push for one address of a device.
package struct OutgoingPush: Sendable {
    /// The same whenever the push is sent again.
    package var id: PushID
    package var address: PushAddress
    package var contents: PushContents
    /// The notification, as it was committed. Badges and texts are in it.
    package var payload: PushPayload
    /// True for an alert, a sound or a badge. False sends the payload without them.
    package var isVisible: Bool
    /// True for one that says that the user has read a notification.
    package var isReadMark = false
    /// The subscription's collapse identifier; nil for none.
    package var collapseID: String?
    /// The number of notifications that it stands for: 1, or more where older ones waited too.
    package var merged: Int
    /// The time after which it is worth nothing.
    package var expires: Timestamp

    package init(
        id: PushID, address: PushAddress, contents: PushContents = .full, payload: PushPayload, isVisible: Bool,
        collapseID: String? = nil, merged: Int = 1, expires: Timestamp
    ) {
        self.id = id
        self.address = address
        self.contents = contents
        self.payload = payload
        self.isVisible = isVisible
        self.collapseID = collapseID
        self.merged = merged
        self.expires = expires
    }
}
