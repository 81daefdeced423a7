/// The reason why somebody is not let in.
package enum WaitingRefusal: Error, Hashable, Sendable {
    /// As many of the same key wait already as may.
    case tooManyOfOne
    /// As many wait already as may, of all keys.
    case tooMany
    /// Its time was over before it was its turn.
    case timedOut
}
