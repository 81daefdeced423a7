/// A reader's place in an output partition: the next offset, and the last source position it has seen of each source.
///
/// It is one value because both halves belong together: groups commit it in one write, change tokens seal it, and a
/// reader that had only the offset would take a writer's duplicates for news.
package struct LogPosition: Hashable, Sendable {
    /// The offset to read from next.
    package var offset: Int64
    /// The incarnation of the topic that the offset counts in; 0 where nobody noted it.
    package var incarnation: UInt64
    /// Some of the entries before the offset, the latest first: the history that the offset counts in. Empty where
    /// nobody noted them, as in positions of earlier builds.
    package private(set) var marks: [EntryMark] = []
    /// The last position seen of each source.
    package private(set) var seen: [SourceID: SourcePosition]

    /// Incarnations of one store or topic partition that are remembered. Stores that are recreated again and again, as
    /// in tests, would let positions grow without end, and Kafka takes 4,096 bytes of them.
    package static let incarnationsMax = 8
    /// The sources in the order in which they were first seen.
    private(set) var sources: [SourceID]

    package init(
        offset: Int64, seen: [SourceID: SourcePosition] = [:], incarnation: UInt64 = 0, marks: [EntryMark] = []
    ) {
        self.init(
            offset: offset, inOrder: seen.values.sorted { $0.source.sortKey < $1.source.sortKey },
            incarnation: incarnation, marks: marks)
    }

    /// - Parameter positions: the sources' last positions in the order in which they were first seen.
    init(offset: Int64, inOrder positions: [SourcePosition], incarnation: UInt64, marks: [EntryMark]) {
        self.offset = offset
        self.marks = marks
        self.incarnation = incarnation
        seen = Dictionary(positions.map { ($0.source, $0) }) { $1.isAbove($0) ? $1 : $0 }
        sources = positions.map(\.source)
        if sources.count != seen.count {
            var met: Set<SourceID> = []
            sources = sources.filter { met.insert($0).inserted }
        }
    }

    package static func == (left: LogPosition, right: LogPosition) -> Bool {
        left.offset == right.offset && left.incarnation == right.incarnation && left.seen == right.seen
            && left.marks == right.marks
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(offset)
        hasher.combine(incarnation)
        hasher.combine(seen)
        hasher.combine(marks)
    }

    /// Returns true if the offset is valid in the topic of an incarnation, as far as it is known: an offset committed
    /// late, by a process that did not know of the recreated topic, is not.
    package func isOf(_ incarnation: UInt64) -> Bool { self.incarnation == 0 || self.incarnation == incarnation }

    /// Marks are at distances that grow by this factor: a lost tail costs the reading of a few times its length.
    private static let markFactor: Int64 = 16
    private static let marksMax = 5

    /// Takes note of the last entry before the offset, whether it was news or not.
    ///
    /// An older mark gives way to the one after it when that one is far enough behind: the third is at least 256
    /// entries old once there are so many, the fourth 4,096.
    package mutating func note(_ entry: LogEntry) {
        var mark = EntryMark(entry)
        guard mark.offset > marks.first?.offset ?? -1 else { return }
        var distance = Self.markFactor
        for index in 0..<Self.marksMax {
            guard index < marks.count else { return marks.append(mark) }
            (mark, marks[index]) = (marks[index], mark)
            distance *= Self.markFactor
            // The mark that gave way goes, unless those behind it are far away.
            guard index + 1 >= marks.count || mark.offset - marks[index + 1].offset >= distance else { return }
        }
    }

    /// Forgets the marks of entries from an offset on: the partition has others there.
    package mutating func forgetMarks(from offset: Int64) { marks.removeAll { $0.offset >= offset } }

    /// Goes on at an offset. Seen positions stay seen.
    package mutating func rewind(to offset: Int64) {
        self.offset = offset
        forgetMarks(from: offset)
    }

    /// Takes note of an entry's name.
    /// - Returns: true if the entry is news; one that does not advance is a duplicate and must be dropped.
    package mutating func advance(to position: SourcePosition) -> Bool {
        if let last = seen[position.source] {
            guard position.isAbove(last) || Mistake.repeatsAreNews.isMade else { return false }
        } else {
            enter(position.source)
        }
        seen[position.source] = position
        return true
    }

    /// Takes note of a new source; forgets the oldest of its kind when there are too many.
    private mutating func enter(_ source: SourceID) {
        let alike = sources.indices.filter {
            sources[$0].origin == source.origin && sources[$0].partition == source.partition
        }
        if alike.count >= Self.incarnationsMax { seen[sources.remove(at: alike[0])] = nil }
        sources.append(source)
    }
}
