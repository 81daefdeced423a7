import CloudJSON
import CloudModel

/// Reads `resultsLimit`: 0 lets the server decide, as in CloudKit's native interface, and more than a page takes is cut
/// to a page.
enum ResultsLimit {
    /// The limit of a body, or of one of its items; nil when it says none.
    static func read(_ json: JSONPath, atMost maximum: Int) throws(CloudError) -> Int? {
        guard let limit = json["resultsLimit"] else { return nil }
        let number = try limit.integer()
        guard number >= 0 else {
            throw .badRequest("\(limit.path) is 1 to \(maximum), or 0 for the server's choice, not \(number)")
        }
        return number == 0 ? maximum : Int(min(number, Int64(maximum)))
    }
}
