import CloudModel
import Telemetry
import Testing

@testable import Push

/// The numbers that senders show.
@Suite struct PushSenderMetricsTests {
    @Test("the numbers of senders of several containers are added")
    func numbers() {
        func waiting() -> Double {
            PushSenderMetrics.rows({ Double($0.waiting) }, +).first { $0.labels.first?.1 == "test-kind" }?.value ?? 0
        }
        let shown = (1...3).map { count in
            PushSenderMetrics.show { [PushSenderMetrics.Row(kind: CourierKind("test-kind"), waiting: count)] }
        }
        #expect(waiting() == 6)
        PushSenderMetrics.hide(shown[1])
        #expect(waiting() == 4)
        for name in shown { PushSenderMetrics.hide(name) }
        #expect(waiting() == 0)
    }
}
