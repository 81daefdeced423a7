import Telemetry
import Testing

@Suite struct LogLinearHistogramTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func percentilesAreNeverBelowAndAtMostASixtyFourthAboveTheTrueOnes(seed: UInt64) throws {
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        var histogram = LogLinearHistogram()
        var values: [Int64] = []
        for _ in 0..<5000 {
            let value = Int64(next() >> (next() % 31))
            values.append(value)
            histogram.record(value)
        }
        values.sort()
        for share in [0.0, 0.001, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = values[max(0, Int((share * 5000).rounded(.up)) - 1)]
            let shown = try #require(histogram.percentile(share))
            #expect(shown >= exact, "seed \(seed), share \(share)")
            #expect(Double(shown - exact) <= max(1, Double(exact) / 64), "seed \(seed), share \(share)")
        }
        #expect(histogram.longest == values.last)
    }

    @Test func mergingCountsBoth() {
        var first = LogLinearHistogram()
        var second = LogLinearHistogram()
        first.record(10)
        second.record(1_000_000)
        first.merge(second)
        #expect(first.count == 2 && first.longest == 1_000_000 && first.percentile(0.5) == 10)
    }

    @Test func theLargestAndNegativeValuesStayInRange() {
        var histogram = LogLinearHistogram()
        histogram.record(.max)
        histogram.record(-5)
        #expect(histogram.percentile(0) == 0)
        #expect(histogram.percentile(1) == (1 << 40) - 1)
    }

    @Test func nothingCountedHasNoPercentile() {
        #expect(LogLinearHistogram().percentile(0.5) == nil)
    }
}
