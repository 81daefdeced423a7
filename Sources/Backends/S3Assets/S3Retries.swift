/// The attempts of one call: at most five, with pauses that triple, none begun later than 15 s after the first.
struct S3Retries {
    static let attemptsMax = 5
    private static let first = Duration.milliseconds(100)
    private static let patience = Duration.seconds(15)

    private var failures = 0
    private var pause = first

    /// Returns the pause after a failed attempt; nil after the last one.
    /// - Parameters:
    ///   - elapsed: the time since the first attempt began.
    ///   - share: from 0 to 1: the pause is between a half and all of its length, so that callers part.
    mutating func next(after elapsed: Duration, share: Double) -> Duration? {
        failures += 1
        let length = pause * (0.5 + share / 2)
        pause *= 3
        return failures < Self.attemptsMax && elapsed + length <= Self.patience ? length : nil
    }
}
