package import CloudModel

extension BackfillMessage {
    /// The value of `reader` for nobody, as in `ChangeEvent`.
    private static let nobody = 3

    /// The past as it is stored and published.
    package init(_ backfill: Backfill) {
        self.init(
            from: backfill.from.milliseconds, reader: Int32(backfill.reader?.rawValue ?? Self.nobody),
            zones: backfill.zones.map { ZoneMessage($0) }, after: backfill.after.rawValue)
    }

    /// The past.
    package var backfill: Backfill {
        Backfill(
            from: Timestamp(milliseconds: from), after: CommitSequence(after),
            reader: TypePermissions.Role(rawValue: Int(reader)), zones: zones.map(\.zoneID))
    }
}
