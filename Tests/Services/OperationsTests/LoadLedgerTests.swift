import Telemetry
import Testing

@testable import Operations

/// The counts of the records of a load run.
@Suite struct LoadLedgerTests {
    private let start = ContinuousClock.now

    @Test func `a record that comes once is received, with its latency from the time it was due`() {
        let ledger = LoadLedger()
        ledger.begin("a", due: start)
        #expect(!ledger.isSettled)
        ledger.saved("a", due: start, at: start + .milliseconds(3))
        ledger.received("a", at: start + .milliseconds(5))
        let report = ledger.report
        #expect(report.saved == 1 && report.received == 1 && report.doubled == 0 && report.failed == 0)
        #expect(report.lost == 0 && report.isClean && ledger.isSettled)
        #expect((3000...3100).contains(report.saves.percentile(1) ?? 0))
        #expect((5000...5200).contains(report.notifications.percentile(1) ?? 0))
    }

    @Test func `a notification may come before the answer`() {
        let ledger = LoadLedger()
        ledger.begin("a", due: start)
        ledger.received("a", at: start)
        #expect(ledger.isSettled && ledger.report.received == 1)
        ledger.saved("a", due: start, at: start)
        #expect(ledger.report.isClean)
    }

    @Test func `one that comes again is doubled, one of another run is nothing`() {
        let ledger = LoadLedger()
        ledger.begin("a", due: start)
        ledger.saved("a", due: start, at: start)
        for _ in 0..<3 { ledger.received("a", at: start) }
        ledger.received("b", at: start)
        #expect(ledger.report.received == 1 && ledger.report.doubled == 2 && !ledger.report.isClean)
    }

    @Test func `one that does not come is lost, one that was refused is not waited for`() {
        let ledger = LoadLedger()
        for name in ["a", "b"] { ledger.begin(name, due: start) }
        ledger.saved("a", due: start, at: start)
        ledger.failed("b")
        #expect(!ledger.isSettled)
        #expect(ledger.report.lost == 1 && ledger.report.failed == 1 && !ledger.report.isClean)
    }

    @Test func `a record for several devices is waited for until it came to each`() {
        let ledger = LoadLedger()
        ledger.begin("a", due: start, receivers: 3)
        ledger.saved("a", due: start, at: start)
        for device in [0, 1, 1] { ledger.received("a", by: device, at: start) }
        #expect(!ledger.isSettled && ledger.report.lost == 1 && ledger.report.doubled == 1)
        ledger.received("a", by: 2, at: start)
        #expect(ledger.isSettled && ledger.report.lost == 0 && ledger.report.received == 3)
    }

    @Test func `missing notifications are counted for each second, without refused records`() {
        let ledger = LoadLedger()
        for (name, second) in [("a", 0), ("b", 1), ("c", 1)] { ledger.begin(name, due: start + .seconds(second)) }
        ledger.failed("c")
        ledger.saved("a", due: start, at: start + .seconds(1))
        ledger.received("a", at: start + .seconds(1))
        ledger.received("b", at: start + .seconds(2))
        let timeline = ledger.report.timeline
        #expect(timeline.waiting == [1, 1, 0])
        #expect(timeline.seconds.map(\.received) == [0, 1, 1] && timeline.seconds.map(\.saved) == [0, 1, 0])
    }

    @Test func `latencies of a warm-up do not count, its losses do`() {
        let ledger = LoadLedger()
        ledger.begin("a", due: start, isCounted: false)
        ledger.saved("a", due: start, at: start)
        #expect(ledger.report.lost == 1 && ledger.report.saves.count == 0)
        ledger.received("a", at: start)
        #expect(ledger.report.isClean && ledger.report.notifications.count == 0)
    }

    @Test func `a page has its charts and no text that could be markup`() {
        let ledger = LoadLedger()
        ledger.begin("a", due: start)
        ledger.saved("a", due: start, at: start + .seconds(1))
        ledger.received("a", at: start + .seconds(2))
        var report = ledger.report
        report.name = "<b>&"
        let page = report.html
        #expect(page.contains("<h1>&lt;b&gt;&amp;</h1>") && !page.contains("<b>&"))
        #expect(page.split(separator: "<svg ").count == 4 && page.contains("Every notification came, once."))
    }
}
