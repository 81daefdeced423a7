import CloudModel
import JSON

/// The bytes of records and the like that a request may hold while it works: it waits for room for them (`LargeWork`).
/// Every endpoint says so, so that none goes around the gate; `docs/limits.md` has the table.
enum AnswerBound: Sendable {
    /// No more than one record, beside what the body has.
    case small
    /// A page that ends at so many bytes.
    case page(Int)
    /// So many bytes for each element of this list in the body, up to a sum at which the work ends itself.
    case each(String, Int, atMost: Int)
    /// The sum that the store says of the request, up to one at which the work ends itself.
    case stored(atMost: Int, @Sendable (APICall) async throws -> Int)

    /// Records that this list in the body names.
    static func records(_ list: String) -> AnswerBound {
        .each(list, Limits.recordBytesMax, atMost: Limits.lookupBytesMax)
    }

    /// Shares, each with its root record.
    static let shares = AnswerBound.each("shortGUIDs", 2 * Limits.recordBytesMax, atMost: Limits.lookupBytesMax)

    /// The bytes of any request.
    var most: Int {
        switch self {
        case .small: 0
        case .page(let most), .each(_, _, atMost: let most), .stored(atMost: let most, _): most
        }
    }

    /// The bytes of a request.
    func bytes(of call: APICall) async throws -> Int {
        switch self {
        case .small: 0
        case .page(let bytes): bytes
        case .each(let list, let bytes, atMost: let most):
            min((call.parsedBody?[list]?.array?.count ?? 0) * bytes, most)
        case .stored(atMost: let most, let bytes): min(try await bytes(call), most)
        }
    }
}
