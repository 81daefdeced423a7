/// The port of those who keep what happens to pushes, for those who ask later.
package protocol PushJournal: Sendable {
    /// Notes something. Returns at once; a note may be lost.
    func note(_ note: PushNote)
}
