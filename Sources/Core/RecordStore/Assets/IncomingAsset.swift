/// An upload on its way in. Calls follow one another: parts, `finish`, and then `keep` or `discard`.
///
/// Finishing and keeping are two steps, so that the row of an asset can be committed between them: then a crash leaves a
/// row without bytes, which a sweep removes, and never bytes that no row knows.
package protocol IncomingAsset: Sendable {
    /// Adds a part.
    func append(_ part: [UInt8]) async throws

    /// Ends the writing. The bytes are safe from a crash when this returns, and not found yet.
    func finish() async throws -> AssetContents

    /// Makes the finished asset found by its checksum, also after a crash; one of the same contents is replaced.
    func keep() async throws

    /// Removes what was written and not kept; harmless after `keep`.
    func discard() async
}
