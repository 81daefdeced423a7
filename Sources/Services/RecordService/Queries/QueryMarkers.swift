import CloudMessages
import CloudModel
package import Cryptography
import ProtocolBuffers
import TextForms

/// Continuation markers: sealed positions in the order of a query's results, valid for that query in that store only.
/// They are sealed because the position may be one of a record that the caller may not see.
package struct QueryMarkers: Sendable {
    private static let purpose = "query-marker/2"
    private let ring: KeyRing

    /// Markers of a key ring.
    package init(_ ring: KeyRing) { self.ring = ring }

    /// The marker of a place.
    func seal(_ position: QueryPosition, of query: CheckedQuery, store: UInt64) -> String {
        let keys = position.keys.map { SortKeyMessage(value: $0.map { ValueMessage($0) }) }
        let message = QueryMarkerMessage(query: query.digest, keys: keys, number: position.number, store: store)
        return ring.sealHidden(message.encoded(), purpose: Self.purpose, as: .standard)
    }

    /// Opens the position of a marker.
    /// - Throws: `BAD_REQUEST` with the reason.
    func open(_ marker: String, of query: CheckedQuery, store: UInt64) throws(CloudError) -> QueryPosition {
        let message: QueryMarkerMessage
        var keys: [FieldValue?] = []
        do {
            message = try QueryMarkerMessage(decoding: ring.openHidden(marker, purpose: Self.purpose))
            for key in message.keys { keys.append(try key.value?.value()) }
        } catch {
            throw .badRequest("continuationMarker is not one of ours: \(error)")
        }
        guard message.query == query.digest, keys.count == query.order.sorts.count else {
            throw .badRequest(
                "continuationMarker is of another query; repeat the query, its zone and its order with each page")
        }
        guard message.store == store else {
            throw .badRequest("continuationMarker is of a store that is gone; start the query again")
        }
        return QueryPosition(keys: keys, number: message.number)
    }
}
