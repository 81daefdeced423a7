import Testing

@testable import SQLite

@Suite struct CheckpointPlanTests {
    private func plan() -> CheckpointPlan { CheckpointPlan(first: 100, rest: 20, most: 400) }

    @Test("a log is written once it is long, and not after each commit")
    func longLogs() {
        var plan = plan()
        #expect(plan.step(pages: 99) == .wait)
        #expect(plan.step(pages: 100) == .beside)
        for pages in 101..<400 { #expect(plan.step(pages: pages) == .wait) }
    }

    @Test("a checkpoint that left little is ended by the writer, one that left much by another beside it")
    func rests() {
        var plan = plan()
        #expect(plan.step(pages: 100) == .beside)
        plan.ended()
        #expect(plan.step(pages: 150) == .beside)
        plan.ended()
        #expect(plan.step(pages: 170) == .byWriter)
        #expect(plan.step(pages: 5) == .wait)
        #expect(plan.step(pages: 99) == .wait)
        #expect(plan.step(pages: 100) == .beside)
    }

    @Test("a log that began again by itself is short")
    func beginsAgain() {
        var plan = plan()
        #expect(plan.step(pages: 100) == .beside)
        plan.ended()
        #expect(plan.step(pages: 4) == .wait)
        #expect(plan.step(pages: 104) == .beside)
    }

    @Test("the writer writes a log that is too long, also while another checkpoint is under way")
    func bound() {
        var plan = plan()
        #expect(plan.step(pages: 100) == .beside)
        #expect(plan.step(pages: 400) == .byWriter)
        plan.ended()
        #expect(plan.step(pages: 3) == .wait)
    }

    @Test("while a reader keeps the log from beginning again, checkpoints come after as many pages as the first")
    func oldReaders() {
        var plan = plan()
        var steps = [CheckpointPlan.Step: Int]()
        for pages in stride(from: 1, through: 10_000, by: 1) {
            let step = plan.step(pages: pages)
            steps[step, default: 0] += 1
            if step == .beside { plan.ended() }
        }
        #expect(steps[.beside]! <= 100 && steps[.byWriter]! <= 100, "\(steps)")
    }
}
