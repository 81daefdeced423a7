import TestSupport

/// Makes a history that failed shorter: leaves out faults and steps as long as it goes on failing.
struct Shrinker {
    let store: SimulatedStore

    func shrink(_ history: History) throws -> History {
        var best = history
        var size = max(1, max(best.faults.count, best.script.steps.count) / 2)
        while true {
            var isShorter = false
            var index = 0
            while index < best.faults.count {
                var shorter = best
                shorter.faults.removeSubrange(index..<min(index + size, best.faults.count))
                if try fails(shorter) {
                    best = shorter
                    isShorter = true
                } else {
                    index += size
                }
            }
            index = 0
            while index < best.script.steps.count {
                var shorter = best
                shorter.script.steps.removeSubrange(index..<min(index + size, best.script.steps.count))
                if try fails(shorter) {
                    best = shorter
                    isShorter = true
                } else {
                    index += size
                }
            }
            if size > 1 { size /= 2 } else if !isShorter { return best }
        }
    }

    private func fails(_ history: History) throws -> Bool { try !history.run(on: store).complaints.isEmpty }
}
