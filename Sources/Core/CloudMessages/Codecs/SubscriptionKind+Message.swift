package import CloudModel

extension Subscription.Kind {
    /// The kind of a message: 0 is a query, which the first messages left unsaid. Nil for one of a later version.
    package init?(messageNumber: Int32) {
        self.init(rawValue: messageNumber == 0 ? Self.query.rawValue : messageNumber)
    }

    /// The kind as messages carry it.
    package var messageNumber: Int32 { self == .query ? 0 : rawValue }
}
