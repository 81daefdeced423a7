import CloudModel

extension Record {
    /// Bytes that the record counts as in an answer: its body, and more for each file, which an answer gives an address
    /// and a receipt.
    /// - Parameter bytes: of the body, as it is stored.
    func answerBytes(body bytes: Int) -> Int {
        bytes + fields.entries.reduce(0) { $0 + $1.value.assets.count * Limits.assetAnswerBytes }
    }
}
