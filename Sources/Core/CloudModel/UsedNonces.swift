/// Recently used rights that are good once, by their nonces, in bounded memory.
package struct UsedNonces: Sendable {
    private let lifetimeSeconds: Int
    private let generationMax: Int
    /// Two generations, so that forgetting the older costs nothing: a right ends before both are gone.
    private var recent: Set<String> = []
    private var older: Set<String> = []
    private var since = Timestamp(milliseconds: 0)

    /// An empty set.
    /// - Parameters:
    ///   - lifetimeSeconds: the time for which a right is good.
    ///   - generationMax: nonces that are remembered at least, and half of those that are at most.
    package init(lifetimeSeconds: Int, generationMax: Int) {
        self.lifetimeSeconds = lifetimeSeconds
        self.generationMax = generationMax
    }

    /// Remembers a nonce for as long as its right would be good, unless very many others come. False if it is
    /// remembered already.
    @discardableResult
    package mutating func note(_ nonce: String, at time: Timestamp) -> Bool {
        guard !holds(nonce) else { return false }
        let age = time.milliseconds - since.milliseconds
        if age >= Int64(lifetimeSeconds) * 1000 || recent.count >= generationMax {
            (older, recent, since) = (recent, [], time)
        }
        recent.insert(nonce)
        return true
    }

    /// The number of nonces that are remembered.
    package var count: Int { recent.count + older.count }

    /// Returns true if a right was used.
    package func holds(_ nonce: String) -> Bool { recent.contains(nonce) || older.contains(nonce) }
}
