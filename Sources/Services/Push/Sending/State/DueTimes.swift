import CloudModel

/// Destinations with the times at which they are due, rounded up to a tenth of a second.
struct DueTimes: Sendable {
    private static let step: Int64 = 100

    private var destinations: [Int64: Set<PushDestination>] = [:]
    private var steps: [PushDestination: Int64] = [:]

    /// The number of destinations.
    var count: Int { steps.count }

    /// The next time at which one is due; nil without one.
    var next: Timestamp? { destinations.keys.min().map { Timestamp(milliseconds: $0 * Self.step) } }

    /// Sets the time of a destination.
    mutating func set(_ destination: PushDestination, at time: Timestamp) {
        remove(destination)
        let step = time.milliseconds / Self.step + (time.milliseconds % Self.step > 0 ? 1 : 0)
        steps[destination] = step
        destinations[step, default: []].insert(destination)
    }

    /// Forgets a destination.
    mutating func remove(_ destination: PushDestination) {
        guard let step = steps.removeValue(forKey: destination) else { return }
        destinations[step]?.remove(destination)
        if destinations[step]?.isEmpty == true { destinations[step] = nil }
    }

    /// Takes those that are due at a time, the earliest first.
    mutating func take(at now: Timestamp) -> [PushDestination] {
        var taken: [PushDestination] = []
        for step in destinations.keys.filter({ $0 * Self.step <= now.milliseconds }).sorted() {
            taken += destinations.removeValue(forKey: step) ?? []
        }
        for destination in taken { steps[destination] = nil }
        return taken
    }
}
