package import CloudModel
package import EventLog

/// The port of the notifications that devices were sent no push of, because `pushes` keeps them no longer.
package protocol MissedPushes: Sendable {
    /// Finds, for each device that missed something, the newest visible notification, or the newest where none is
    /// visible.
    /// - Parameters:
    ///   - lines: of users in one partition.
    ///   - next: the name of the first entry that `pushes` still has: notifications from there on are pushed anyway; nil
    ///     where it has none.
    ///   - found: called once at most for a line, with the notification as an entry of `pushes` that has the line as its
    ///     only target, and the number of notifications that it stands for.
    func missed(
        by lines: [MissedLine], before next: SourcePosition?,
        found: @escaping @Sendable (_ line: MissedLine, _ entry: [UInt8], _ count: Int) throws -> Void
    ) async throws
}

/// A device's address of one kind, to which pushes were sent before.
package struct MissedLine: Hashable, Sendable {
    package var user: UserRecordName
    package var device: DeviceID
    package var epoch: DeviceEpoch
    package var kind: CourierKind
    /// The name of the last push that was sent, or waits; nil for none.
    package var settled: SourcePosition?
    /// The sequence that the table of addresses has to have reached.
    package var sequence: CommitSequence

    package init(
        user: UserRecordName, device: DeviceID, epoch: DeviceEpoch, kind: CourierKind, settled: SourcePosition? = nil,
        sequence: CommitSequence = .zero
    ) {
        self.user = user
        self.device = device
        self.epoch = epoch
        self.kind = kind
        self.settled = settled
        self.sequence = sequence
    }
}
