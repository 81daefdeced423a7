import CloudModel

/// Things with the times at which they are due, rounded up to a tenth of a second.
struct DueTimes<Element: Hashable & Sendable>: Sendable {
    private static var step: Int64 { 100 }

    private var elements: [Int64: Set<Element>] = [:]
    private var steps: [Element: Int64] = [:]

    /// The number of them.
    var count: Int { steps.count }

    /// The next time at which one is due; nil without one.
    var next: Timestamp? { elements.keys.min().map { Timestamp(milliseconds: $0 * Self.step) } }

    /// Sets the time of an element.
    mutating func set(_ element: Element, at time: Timestamp) {
        remove(element)
        let step = time.milliseconds / Self.step + (time.milliseconds % Self.step > 0 ? 1 : 0)
        steps[element] = step
        elements[step, default: []].insert(element)
    }

    /// Forgets an element.
    mutating func remove(_ element: Element) {
        guard let step = steps.removeValue(forKey: element) else { return }
        elements[step]?.remove(element)
        if elements[step]?.isEmpty == true { elements[step] = nil }
    }

    /// Takes those that are due at a time, the earliest first.
    mutating func take(at now: Timestamp) -> [Element] {
        var taken: [Element] = []
        for step in elements.keys.filter({ $0 * Self.step <= now.milliseconds }).sorted() {
            taken += elements.removeValue(forKey: step) ?? []
        }
        for element in taken { steps[element] = nil }
        return taken
    }
}
