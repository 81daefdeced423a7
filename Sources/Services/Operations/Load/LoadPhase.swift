/// A part of a load run, in which the rate stays or changes evenly.
package struct LoadPhase: Hashable, Sendable {
    /// Records a second at its beginning.
    package var rate: Double
    /// Records a second at its end.
    package var endRate: Double
    /// Its length in seconds.
    package var seconds: Double
    /// True if its records are left out of the latencies; lost and doubled ones count all the same.
    package var isWarmUp: Bool

    package init(rate: Double, endRate: Double? = nil, seconds: Double, isWarmUp: Bool = false) {
        self.rate = rate
        self.endRate = endRate ?? rate
        self.seconds = seconds
        self.isWarmUp = isWarmUp
    }

    /// The number of records that are saved in it.
    package var count: Int { Int((rate + endRate) / 2 * seconds) }

    /// The time at which a record of it is due, in seconds from its beginning.
    package func due(_ number: Int) -> Double {
        let growth = (endRate - rate) / seconds
        guard abs(growth) > 1e-9 else { return Double(number) / rate }
        return (((rate * rate) + 2 * growth * Double(number)).squareRoot() - rate) / growth
    }
}
