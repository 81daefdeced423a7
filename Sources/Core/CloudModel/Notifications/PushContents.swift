/// The part of a notification that pushes to an address may have.
package enum PushContents: String, CaseIterable, Sendable {
    /// All that fits.
    case full
    /// IDs and a localisation key: no value of a record.
    case none
}
