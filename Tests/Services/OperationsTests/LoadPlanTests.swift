import CloudModel
import Testing

@testable import Operations

@Suite("Plans of load") struct LoadPlanTests {
    private func plan() -> LoadPlan { LoadPlan(rate: 10, duration: .seconds(2), subscribers: 3, user: "load") }

    @Test("records of an even phase are due at even times")
    func even() {
        let phase = LoadPhase(rate: 4, seconds: 2)
        #expect(phase.count == 8)
        #expect((0..<8).map(phase.due) == [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75])
    }

    @Test(
        "a ramp has as many records due until a time as its rate makes",
        arguments: [(10.0, 110.0), (110, 10), (1, 1000)])
    func ramp(from: Double, to: Double) {
        let phase = LoadPhase(rate: from, endRate: to, seconds: 10)
        #expect(phase.count == Int((from + to) * 5))
        for number in stride(from: 0, to: phase.count, by: 7) {
            let time = phase.due(number)
            let made = from * time + (to - from) * time * time / 20
            #expect(time >= 0 && time <= 10 && abs(made - Double(number)) < 1e-6)
        }
    }

    @Test("a scenario changes what it names")
    func scenario() throws {
        var plan = plan()
        let text = #"""
            {"name": "storm", "description": "…", "devices": 5, "forAll": true, "churn": 2.5, "herd": 7, "patienceSeconds": 60,
             "phases": [{"rate": 1, "seconds": 2, "warmUp": true}, {"rate": 1, "toRate": 9, "seconds": 2}]}
            """#
        try plan.take(scenario: Array(text.utf8))
        #expect(plan.name == "storm" && plan.devices == 5 && plan.isForAll && plan.churn == 2.5 && plan.herd == 7)
        #expect(plan.subscribers == 3 && plan.receivers == 15 && plan.patience == .seconds(60))
        #expect(
            plan.phases == [
                LoadPhase(rate: 1, seconds: 2, isWarmUp: true), LoadPhase(rate: 1, endRate: 9, seconds: 2),
            ])
        #expect(plan.count == 12)
    }

    @Test(
        "a scenario that is wrong is refused",
        arguments: [
            "[]", "{", #"{"rate": 1}"#, #"{"phases": []}"#, #"{"phases": [{"rate": 1}]}"#, #"{"devices": 0}"#,
            #"{"phases": [{"rate": -1, "seconds": 1}]}"#, #"{"herd": "many"}"#,
        ])
    func wrong(text: String) {
        var plan = plan()
        #expect(throws: ImportError.self) { try plan.take(scenario: Array(text.utf8)) }
    }
}
