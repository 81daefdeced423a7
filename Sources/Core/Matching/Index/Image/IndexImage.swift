package import CloudModel

/// The memory of an index as bytes. Only the same build of the program can read them: numbers are in native byte order,
/// and the layout is not recorded. The owner of the bytes checks both, and that no byte has changed
/// (docs/decisions/0026-the-index-is-kept-as-its-memory.md). Each part writes its arenas as they are and reads them in the
/// same order: a part that gains a member writes it, too; the property test goes through images.
package struct IndexImage: Sendable {
    /// The bytes one after the other, in pieces of at most `pieceBytesMax`.
    package let pieces: [[UInt8]]

    /// Bytes of one piece, at most: threads check several at a time.
    package static let pieceBytesMax = 4 << 20

    /// An image of pieces that were read again.
    package init(pieces: [[UInt8]]) { self.pieces = pieces }
}

/// Predicates as bytes, for what an image holds besides numbers.
package struct PredicateCoding: Sendable {
    let encode: @Sendable (Predicate) -> [UInt8]
    let decode: @Sendable ([UInt8]) throws -> Predicate

    /// A coding of a caller that knows messages; whatever it throws, the image is refused with.
    package init(
        encode: @escaping @Sendable (Predicate) -> [UInt8], decode: @escaping @Sendable ([UInt8]) throws -> Predicate
    ) {
        self.encode = encode
        self.decode = decode
    }
}

/// An image ends too early, or says what no index can hold.
package struct ImageFailure: Error, CustomStringConvertible {
    package let description = "the image of the index of subscriptions is none"
}

extension SubscriptionIndex {
    /// The image of the index. Observations of events are part of it, likelihoods of crowded keys are not: they are
    /// observed again.
    package func image(_ coding: PredicateCoding) -> IndexImage {
        var writer = ImageWriter()
        vocabulary.write(to: &writer, coding)
        tenancies.write(to: &writer)
        shapes.write(to: &writer)
        buckets.write(to: &writer)
        programs.write(to: &writer)
        subscriptions.write(to: &writer)
        writer.write(row: subscriptions.decidedIDs)
        return IndexImage(pieces: writer.pieces)
    }

    /// The index of an image, without the subscriptions that need more than their program, as those are not in it: the
    /// caller inserts them again, with all others that `contains` does not know.
    package init(_ image: IndexImage, _ coding: PredicateCoding) throws {
        var reader = ImageReader(pieces: image.pieces)
        self.init()
        vocabulary = try Vocabulary(from: &reader, coding)
        tenancies = try Tenancies(from: &reader)
        shapes = try ShapeTable(from: &reader)
        buckets = try BucketTable(from: &reader)
        programs = try ProgramStore(from: &reader)
        subscriptions = try FiledSubscriptions(from: &reader)
        for id in try reader.row(of: UInt32.self) { remove(id: Int(id)) }
    }

    /// Returns true if there is a subscription of this ID.
    package func contains(id: Int) -> Bool { subscriptions.contains(id) }

    /// One more than the highest ID that was ever in use.
    package var idsEnd: Int { subscriptions.idsEnd }
}
