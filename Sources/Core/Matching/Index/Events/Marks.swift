/// Marks of subscriptions that one event may find twice.
struct Marks: ~Copyable {
    /// For each ID the last event that found it.
    private var marks = Arena<UInt32>()
    private var event: UInt32 = 0

    /// Bytes that the marks take.
    var bytes: Int { marks.bytes }

    /// Begins an event, with IDs below a limit.
    mutating func begin(idsEnd: Int) {
        event &+= 1
        if event == 0 {
            for id in 0..<marks.count { marks[id] = 0 }
            event = 1
        }
        if marks.count < idsEnd { _ = marks.append(0, times: idsEnd - marks.count) }
    }

    /// Marks a subscription. Returns true if the event had not found it yet.
    @inline(__always) func mark(_ id: UInt32) -> Bool {
        if marks.base[Int(id)] == event { return false }
        marks.base[Int(id)] = event
        return true
    }
}
