/// A zone as a request names it: without an owner it is the caller's own.
package struct GivenZone: Hashable, Sendable {
    /// The zone's name.
    package var name: ZoneName
    /// The user whose private database holds it; nil is the caller.
    package var owner: UserRecordName?

    package init(name: ZoneName, owner: UserRecordName? = nil) {
        self.name = name
        self.owner = owner
    }

    /// The zone of a request that names none.
    package static let `default` = GivenZone(name: .defaultZone)
}

extension GivenZone: CustomStringConvertible {
    package var description: String { owner.map { "\(name) of \($0)" } ?? "\(name)" }
}
