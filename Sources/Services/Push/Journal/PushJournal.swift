/// The port of a journal of what happens to pushes: `fanfare explain` reads it.
package protocol PushJournal: Sendable {
    /// Notes something. Returns at once; a note may be lost.
    func note(_ note: PushNote)
}
