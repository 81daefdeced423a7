/// An upload in progress. The calls are: parts, `finish`, and then `keep` or `discard`.
///
/// Finishing and keeping are two steps, so that the row of an asset can be committed between them: a crash then leaves
/// a row without bytes, which a sweep removes, and never bytes without a row.
package protocol IncomingAsset: Sendable {
    /// Adds a part.
    func append(_ part: [UInt8]) async throws

    /// Ends the writing, and reads the checksum. Nothing is found yet.
    func finish() async throws -> AssetContents

    /// Makes the finished asset found by its checksum, also after a crash; one of the same contents is replaced.
    /// After an error it may be tried again.
    func keep() async throws

    /// Removes bytes that were written and not kept; without effect after `keep`.
    func discard() async
}
