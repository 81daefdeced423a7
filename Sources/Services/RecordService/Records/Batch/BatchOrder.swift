import CloudModel

/// The order in which the operations of a request are applied: each comes after those on which it depends, so that
/// references are judged on what the request leaves behind. Otherwise the order is the request's.
struct BatchOrder: Sendable {
    /// The places of the operations.
    private(set) var places: [Int] = []
    /// Saves that depend on each other, as their VALIDATE references form a circle: the others of each place's circle,
    /// and itself.
    private(set) var circles: [Int: [Int]] = [:]

    /// The operations that one depends on.
    struct Needs: Sendable {
        /// Operations that decide on its parent, its children or its share.
        var hierarchy: Set<Int> = []
        /// Operations on records that it references with VALIDATE.
        var validated: Set<Int> = []
    }

    private let needs: [Needs]
    private let isSave: [Bool]
    /// Marks of Tarjan's algorithm.
    private var index: [Int?]
    private var low: [Int]
    private var stack: [Int] = []
    private var onStack: Set<Int> = []
    private var count = 0

    /// - Parameter isSave: false for the places of deletions.
    init(_ needs: [Needs], isSave: [Bool]) {
        self.needs = needs
        self.isSave = isSave
        index = Array(repeating: nil, count: needs.count)
        low = Array(repeating: 0, count: needs.count)
        for place in needs.indices where index[place] == nil { visit(place) }
    }

    /// The operations that one depends on.
    func needs(of place: Int) -> Set<Int> { needs[place].hierarchy.union(needs[place].validated) }

    /// Adds the operations that one depends on, then the one itself.
    private mutating func visit(_ place: Int) {
        (index[place], low[place]) = (count, count)
        count += 1
        stack.append(place)
        onStack.insert(place)
        for other in needs(of: place).sorted() {
            if index[other] == nil {
                visit(other)
                low[place] = min(low[place], low[other])
            } else if onStack.contains(other), let seen = index[other] {
                low[place] = min(low[place], seen)
            }
        }
        guard low[place] == index[place] else { return }
        var group: [Int] = []
        repeat {
            group.append(stack.removeLast())
            onStack.remove(group.last!)
        } while group.last != place
        add(group.sorted())
    }

    /// Adds operations that all depend on each other: in the order of the hierarchy, as far as that has one.
    private mutating func add(_ group: [Int]) {
        guard group.count > 1 else { return places.append(contentsOf: group) }
        var left = Set(group)
        var next = Array(group.reversed())
        while let place = next.last {
            // Those that come first; one that is met again is in a circle of parents, which its rule refuses.
            let first = left.contains(place) ? needs[place].hierarchy.filter { left.contains($0) }.sorted() : []
            left.remove(place)
            guard first.isEmpty else {
                next += first.reversed()
                continue
            }
            next.removeLast()
            if !places.contains(place) { places.append(place) }
        }
        if group.allSatisfy({ isSave[$0] }) { for place in group { circles[place] = group } }
    }
}
